#include "sha256.h"
#include "sha256_functions.h"

// FIPS 180-4 6.2.2 in plain words: runs on any processor and is the reference for the other kernels.
#define ROTATE_RIGHT(word, bits) ((word) >> (bits) | (word) << (32 - (bits)))

static uint32_t big_endian_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

static void compress_one(uint32_t state[SHA256_WORDS], const uint8_t *blocks, size_t count) {
    for (; count > 0; count--, blocks += SHA256_BLOCK) {
        uint32_t word[16];
        for (int t = 0; t < 16; t++) word[t] = big_endian_word(blocks + 4 * t);
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int t = 0; t < 64; t++) {
            if (t >= 16) {
                word[t & 15] += SMALL_SIGMA_1(word[(t + 14) & 15]) + word[(t + 9) & 15]
                    + SMALL_SIGMA_0(word[(t + 1) & 15]);
            }
            const uint32_t first = h + BIG_SIGMA_1(e) + CHOOSE(e, f, g) + sha256_constants[t] + word[t & 15];
            const uint32_t second = BIG_SIGMA_0(a) + MAJORITY(a, b, c);
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}

static void compress(uint32_t (*state)[SHA256_WORDS], const uint8_t *const *blocks, size_t count) {
    compress_one(state[0], blocks[0], count);
}

const struct sha256_kernel sallyport_sha256_portable = {1, compress, compress_one};
