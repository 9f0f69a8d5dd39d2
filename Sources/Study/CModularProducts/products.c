#include "CModularProducts.h"

typedef unsigned __int128 two_words;

/// Subtracts `modulus` from the `count` words at `from`, with `carry` above them, if that leaves nothing negative.
static void reduce(uint64_t *result, const uint64_t *from, uint64_t carry, const uint64_t *modulus, size_t count)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < count; i++) {
        two_words difference = (two_words)from[i] - modulus[i] - borrow;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    // With less than the modulus, zero is subtracted; so `result` may be `from`.
    uint64_t mask = carry >= borrow ? UINT64_MAX : 0;
    borrow = 0;
    for (size_t i = 0; i < count; i++) {
        two_words difference = (two_words)from[i] - (modulus[i] & mask) - borrow;
        result[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
}

void sallyport_modular_product(
    uint64_t *result, const uint64_t *a, const uint64_t *b, const uint64_t *modulus, uint64_t inverse, size_t count,
    uint64_t *scratch
)
{
    for (size_t i = 0; i <= count; i++) scratch[i] = 0;
    for (size_t i = 0; i < count; i++) {
        // One word of `a` times `b`, and the multiple of the modulus that makes the lowest word zero, which then goes.
        two_words sum = (two_words)a[i] * b[0] + scratch[0];
        uint64_t multiple = (uint64_t)sum * inverse;
        uint64_t carry = (uint64_t)(sum >> 64);
        two_words cleared = (two_words)multiple * modulus[0] + (uint64_t)sum;
        uint64_t carry_of_multiple = (uint64_t)(cleared >> 64);
        for (size_t j = 1; j < count; j++) {
            sum = (two_words)a[i] * b[j] + scratch[j] + carry;
            carry = (uint64_t)(sum >> 64);
            cleared = (two_words)multiple * modulus[j] + (uint64_t)sum + carry_of_multiple;
            carry_of_multiple = (uint64_t)(cleared >> 64);
            scratch[j - 1] = (uint64_t)cleared;
        }
        sum = (two_words)scratch[count] + carry + carry_of_multiple;
        scratch[count - 1] = (uint64_t)sum;
        scratch[count] = (uint64_t)(sum >> 64);
    }
    reduce(result, scratch, scratch[count], modulus, count);
}
