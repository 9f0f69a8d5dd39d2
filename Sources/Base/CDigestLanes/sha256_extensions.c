// SHA-256 with the SHA instructions of the processor. Two dependent instructions compute four rounds, so two messages
// are interleaved to use the waiting time.
#if defined(__x86_64__) || defined(__aarch64__)
#include <string.h>

#include "sha256.h"

#define EACH _Pragma("clang loop unroll(full)") for (size_t i = 0; i < lanes; i++)
#define EACH_FOUR _Pragma("clang loop unroll(full)") for (size_t group = 0; group < 16; group++)
#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("sha,sse4.1,ssse3"))), apply_to = function)

typedef __m128i quad;

/// A chaining value in the order of the instructions: A B E F and C D G H, from the highest word down.
struct chaining {
    quad abef, cdgh;
};

INLINE struct chaining read_chaining(const uint32_t state[SHA256_WORDS]) {
    const quad badc = _mm_shuffle_epi32(_mm_loadu_si128((const quad *)state), 0xb1);
    const quad hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const quad *)(state + 4)), 0x1b);
    return (struct chaining){_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

INLINE void write_chaining(uint32_t state[SHA256_WORDS], struct chaining value) {
    const quad feba = _mm_shuffle_epi32(value.abef, 0x1b), dchg = _mm_shuffle_epi32(value.cdgh, 0xb1);
    _mm_storeu_si128((quad *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((quad *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

INLINE quad read_words(const uint8_t *bytes) {
    const quad reversed = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const quad *)bytes), reversed);
}

/// The four words that follow sixteen others, which come in four vectors, oldest first.
INLINE quad extend(quad oldest, quad second, quad third, quad newest) {
    const quad sum = _mm_add_epi32(_mm_sha256msg1_epu32(oldest, second), _mm_alignr_epi8(newest, third, 4));
    return _mm_sha256msg2_epu32(sum, newest);
}

INLINE quad add(quad x, quad y) {
    return _mm_add_epi32(x, y);
}

INLINE quad read_constants(const uint32_t *constants) {
    return _mm_load_si128((const quad *)constants);
}

INLINE void four_rounds(struct chaining *value, quad words) {
    value->cdgh = _mm_sha256rnds2_epu32(value->cdgh, value->abef, words);
    value->abef = _mm_sha256rnds2_epu32(value->abef, value->cdgh, _mm_shuffle_epi32(words, 0x0e));
}

INLINE void add_chaining(struct chaining *value, struct chaining before) {
    value->abef = add(value->abef, before.abef);
    value->cdgh = add(value->cdgh, before.cdgh);
}
#else
#include <arm_neon.h>

#pragma clang attribute push(__attribute__((target("sha2"))), apply_to = function)

typedef uint32x4_t quad;

struct chaining {
    quad abcd, efgh;
};

INLINE struct chaining read_chaining(const uint32_t state[SHA256_WORDS]) {
    return (struct chaining){vld1q_u32(state), vld1q_u32(state + 4)};
}

INLINE void write_chaining(uint32_t state[SHA256_WORDS], struct chaining value) {
    vst1q_u32(state, value.abcd);
    vst1q_u32(state + 4, value.efgh);
}

INLINE quad read_words(const uint8_t *bytes) {
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes)));
}

/// The four words that follow sixteen others, which come in four vectors, oldest first.
INLINE quad extend(quad oldest, quad second, quad third, quad newest) {
    return vsha256su1q_u32(vsha256su0q_u32(oldest, second), third, newest);
}

INLINE quad add(quad x, quad y) {
    return vaddq_u32(x, y);
}

INLINE quad read_constants(const uint32_t *constants) {
    return vld1q_u32(constants);
}

INLINE void four_rounds(struct chaining *value, quad words) {
    const quad abcd = value->abcd;
    value->abcd = vsha256hq_u32(abcd, value->efgh, words);
    value->efgh = vsha256h2q_u32(value->efgh, abcd, words);
}

INLINE void add_chaining(struct chaining *value, struct chaining before) {
    value->abcd = add(value->abcd, before.abcd);
    value->efgh = add(value->efgh, before.efgh);
}
#endif

/// Compresses `count` blocks in each of one or two lanes. Each caller passes a constant for `lanes`.
INLINE void compress_lanes(
    size_t lanes, uint32_t (*state)[SHA256_WORDS], const uint8_t *const *from, size_t count
) {
    struct chaining value[2], before[2];
    const uint8_t *blocks[2];
    quad words[2][4];
    EACH {
        value[i] = read_chaining(state[i]);
        blocks[i] = from[i];
    }
    for (; count > 0; count--) {
        EACH before[i] = value[i];
        EACH_FOUR {
            const quad constants = read_constants(sha256_constants + 4 * group);
            EACH {
                quad *const w = words[i];
                w[group % 4] = group < 4
                    ? read_words(blocks[i] + 16 * group)
                    : extend(w[group % 4], w[(group + 1) % 4], w[(group + 2) % 4], w[(group + 3) % 4]);
                four_rounds(&value[i], add(w[group % 4], constants));
            }
        }
        EACH {
            add_chaining(&value[i], before[i]);
            blocks[i] += SHA256_BLOCK;
        }
    }
    EACH write_chaining(state[i], value[i]);
}

static void compress_one(uint32_t state[SHA256_WORDS], const uint8_t *blocks, size_t count) {
    compress_lanes(1, (uint32_t (*)[SHA256_WORDS])state, &blocks, count);
}

static void compress(uint32_t (*state)[SHA256_WORDS], const uint8_t *const *blocks, size_t count) {
    compress_lanes(2, state, blocks, count);
}

#pragma clang attribute pop

const struct sha256_kernel sallyport_sha256_extensions = {2, compress, compress_one};
#endif
