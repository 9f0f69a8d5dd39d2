#include "CDigestLanes.h"
#include "words.h"

// RFC 1321 section 3.4, one message.
#define STEP(add, a, b, c, d, k, constant, bits) \
    (a) = (b) + rotate_left(add(ready((a) + word[k] + (constant)), (b), (c), (d)), (bits))

void sallyport_md5_compress(uint32_t state[4], const uint8_t *blocks, size_t count) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (; count > 0; count--, blocks += SALLYPORT_DIGEST_BLOCK) {
        const uint32_t old_a = a, old_b = b, old_c = c, old_d = d;
        uint32_t word[16];
        for (int index = 0; index < 16; index++) word[index] = load_word(blocks + 4 * index);

#include "md5_steps.h"

        a += old_a;
        b += old_b;
        c += old_c;
        d += old_d;
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
}

#undef STEP
// Only the lanes use precomputed sums.
#define SALLYPORT_AND_NOT
#define STEP(add, a, b, c, d, k, constant, bits) *sums++ = load_word(block + 4 * (k)) + (uint32_t)(constant)

void sallyport_md5_add_constants(uint32_t sums[SALLYPORT_MD5_STEPS], const uint8_t block[SALLYPORT_DIGEST_BLOCK]) {
#include "md5_steps.h"
}
