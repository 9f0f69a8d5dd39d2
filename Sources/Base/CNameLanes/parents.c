#include "CNameLanes.h"

static inline uint64_t little_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

static inline __attribute__((always_inline)) struct sallyport_parent next(
    struct sallyport_parents *parents, const struct sallyport_wanted *wanted, uint64_t most
)
{
    // Fields are loaded one by one, because they were just stored one by one: a wider load would wait for the stores to
    // reach the cache.
    const uint64_t *const words = parents->words, *const hashes = parents->hashes, *const dots = parents->dots;
    const uint64_t *const filter = wanted->filter;
    const uint64_t filter_words = wanted->filter_words, multiplier = wanted->multiplier, below = wanted->below;
    size_t dot_word = parents->dot_word;
    uint64_t dots_left = parents->dots_left, labels = parents->labels;
    struct sallyport_parent found = {0, 0};
    for (;;) {
        while (dots_left == 0 && dot_word > 0) dots_left = dots[--dot_word];
        if (dots_left == 0) break;
        size_t highest = 63 - (size_t)__builtin_clzll(dots_left), length = dot_word * 64 + highest;
        if (length < 32 || labels <= most) break;
        dots_left ^= UINT64_C(1) << highest;
        const uint64_t own = labels--;
        if ((wanted->counts[own / 64 & 1] >> own % 64 & 1) == 0) continue;
        // The suffix consists of whole words, whose hash is known, and of a part of the next word.
        size_t top = length * 6 + 1, last = top / 64;
        uint64_t part = words[last] & ~UINT64_C(0) >> (63 - top % 64);
        unsigned __int128 product = (unsigned __int128)(hashes[last - 1] ^ part) * multiplier;
        uint64_t hash = (uint64_t)(product >> 64) ^ (uint64_t)product, key = hash ^ below;
        // In bounds: the scaled hash is below the number of blocks.
        uint64_t word = little_endian(filter[(hash >> 32) * filter_words >> 32]);
        if ((word >> key % 64 & word >> (key >> 6) % 64 & word >> (key >> 12) % 64 & 1) == 0) continue;
        found = (struct sallyport_parent){length, key};
        break;
    }
    parents->dot_word = dot_word;
    parents->dots_left = dots_left;
    parents->labels = labels;
    return found;
}

#if defined(__x86_64__)

/// The same with instructions that count leading zeros and shift by any number: a third less time.
__attribute__((target("bmi,bmi2,lzcnt"))) static struct sallyport_parent next_with_bit_instructions(
    struct sallyport_parents *parents, const struct sallyport_wanted *wanted, uint64_t most
)
{
    return next(parents, wanted, most);
}

#endif

struct sallyport_parent sallyport_next_parent(
    struct sallyport_parents *parents, const struct sallyport_wanted *wanted, uint64_t most
)
{
#if defined(__x86_64__)
    // Each processor with AVX2 has LZCNT too, so LZCNT is not checked.
    if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx2")) {
        return next_with_bit_instructions(parents, wanted, most);
    }
#endif
    return next(parents, wanted, most);
}
