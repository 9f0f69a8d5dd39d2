/// The constants of SHA-256 and the functions of a kernel.

#ifndef SALLYPORT_SHA256_H
#define SALLYPORT_SHA256_H

#include "CSHA256.h"

#define SHA256_BLOCK 64
#define SHA256_WORDS 8
/// The most lanes of any kernel.
#define SHA256_MOST_LANES 16

/// FIPS 180-4 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes.
static const uint32_t sha256_constants[64] __attribute__((aligned(64))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/// The compression functions for one instruction set.
struct sha256_kernel {
    /// The number of lanes.
    size_t lanes;
    /// Compresses `count` consecutive blocks of each lane into the lane's chaining value, A to H. All lanes are worked on.
    void (*compress)(uint32_t (*state)[SHA256_WORDS], const uint8_t *const *blocks, size_t count);
    /// The same for one lane; null if plain words are as fast.
    void (*compress_one)(uint32_t state[SHA256_WORDS], const uint8_t *blocks, size_t count);
};

extern const struct sha256_kernel sallyport_sha256_portable;
#if defined(__x86_64__)
extern const struct sha256_kernel sallyport_sha256_avx2;
extern const struct sha256_kernel sallyport_sha256_avx512;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
extern const struct sha256_kernel sallyport_sha256_extensions;
#endif

/// The table of a kernel that runs here.
const struct sha256_kernel *sha256_kernel_for(enum sallyport_sha256_kernel kernel);

#endif
