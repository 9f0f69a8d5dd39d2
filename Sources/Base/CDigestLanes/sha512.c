#include "CSHA256.h"

#include <string.h>

#include "CDigestLanes.h"

#define BLOCK 128
#define WORDS 8
#define ROUNDS 80

// FIPS 180-4 5.3.5: the first 64 bits of the fractions of the square roots of the first eight primes.
static const uint64_t initial_512[WORDS] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

// FIPS 180-4 5.3.4: the same of the ninth to the sixteenth prime.
static const uint64_t initial_384[WORDS] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

// FIPS 180-4 5.3.6.2: the digest of "SHA-512/256" by SHA-512 with each initial word XOR 0xa5a5a5a5a5a5a5a5.
static const uint64_t initial_512_256[WORDS] = {
    0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
    0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
};

// FIPS 180-4 4.2.3: the first 64 bits of the fractions of the cube roots of the first 80 primes.
static const uint64_t constants[ROUNDS] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/// What depends on the message, in one place so that one call erases it.
struct work {
    uint64_t state[WORDS];
    uint64_t word[16];
    uint8_t ending[2 * BLOCK];
};

static inline uint64_t rotate_right(uint64_t word, unsigned bits) { return word >> bits | word << (64 - bits); }

static inline uint64_t big_endian_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return __builtin_bswap64(word);
}

// FIPS 180-4 6.4.2 with the functions of 4.1.3.
static void compress(struct work *work, const uint8_t *blocks, size_t count) {
    uint64_t *const state = work->state, *const word = work->word;
    for (; count > 0; count--, blocks += BLOCK) {
        for (int t = 0; t < 16; t++) word[t] = big_endian_word(blocks + 8 * t);
        uint64_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint64_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int t = 0; t < ROUNDS; t++) {
            if (t >= 16) {
                const uint64_t late = word[(t + 14) & 15], early = word[(t + 1) & 15];
                word[t & 15] += (rotate_right(late, 19) ^ rotate_right(late, 61) ^ late >> 6) + word[(t + 9) & 15]
                    + (rotate_right(early, 1) ^ rotate_right(early, 8) ^ early >> 7);
            }
            const uint64_t first = h + (rotate_right(e, 14) ^ rotate_right(e, 18) ^ rotate_right(e, 41))
                + ((e & f) ^ (~e & g)) + constants[t] + word[t & 15];
            const uint64_t second = (rotate_right(a, 28) ^ rotate_right(a, 34) ^ rotate_right(a, 39))
                + ((a & b) ^ (a & c) ^ (b & c));
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

// Writes the first `words` words of the last chaining value.
static void hash(const uint64_t initial[WORDS], const uint8_t *message, size_t length, uint8_t *digest, int words) {
    struct work work;
    memcpy(work.state, initial, sizeof work.state);
    const size_t left = length % BLOCK;
    if (length >= BLOCK) compress(&work, message, length / BLOCK);
    // FIPS 180-4 5.1.2: the end bit, zeros, and the length in bits as 128 bits, of which a size uses the lower 67.
    const size_t blocks = left < BLOCK - 16 ? 1 : 2;
    memset(work.ending, 0, sizeof work.ending);
    if (left > 0) memcpy(work.ending, message + length - left, left);
    work.ending[left] = 0x80;
    const uint64_t bits[2] = {__builtin_bswap64((uint64_t)length >> 61), __builtin_bswap64((uint64_t)length << 3)};
    memcpy(work.ending + blocks * BLOCK - sizeof bits, bits, sizeof bits);
    compress(&work, work.ending, blocks);
    for (int index = 0; index < words; index++) {
        const uint64_t word = __builtin_bswap64(work.state[index]);
        memcpy(digest + 8 * index, &word, sizeof word);
    }
    sallyport_digest_erase(&work, sizeof work);
}

void sallyport_sha512(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA512_BYTES]) {
    hash(initial_512, message, length, digest, SALLYPORT_SHA512_BYTES / 8);
}

// FIPS 180-4 6.5: the first six words.
void sallyport_sha384(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA384_BYTES]) {
    hash(initial_384, message, length, digest, SALLYPORT_SHA384_BYTES / 8);
}

// FIPS 180-4 6.7: the first half.
void sallyport_sha512_256(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]) {
    hash(initial_512_256, message, length, digest, SALLYPORT_SHA256_BYTES / 8);
}
