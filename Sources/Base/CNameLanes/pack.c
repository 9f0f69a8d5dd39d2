#include "CNameLanes.h"

#if defined(__x86_64__)

#include <string.h>
#include <tmmintrin.h>

#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)

/// 16 bytes of a name in reverse order: 96 bits, and one bit for each dot.
struct part {
    uint64_t low, high;
    uint32_t dots;
};

static inline struct part part(__m128i bytes)
{
    struct part part;
    part.dots = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    // The six bits of each byte: the lower five and bit 6.
    __m128i codes = _mm_or_si128(
        _mm_and_si128(bytes, _mm_set1_epi8(0x1f)), _mm_and_si128(_mm_srli_epi16(bytes, 1), _mm_set1_epi8(0x20))
    );
    // Two bytes become 12 bits, four bytes 24 bits, and these are concatenated.
    __m128i twelves = _mm_maddubs_epi16(codes, _mm_set1_epi16(0x4001));
    __m128i words = _mm_madd_epi16(twelves, _mm_set1_epi32(0x10000001));
    __m128i packed =
        _mm_shuffle_epi8(words, _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    part.low = (uint64_t)_mm_cvtsi128_si64(packed);
    part.high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(packed, packed));
    return part;
}

/// Shuffle masks: the 16 entries from `missing` on reverse 16 bytes and clear the last `missing` of the result.
static const uint8_t turns[32] = {
    15,   14,   13,   12,   11,   10,   9,    8,    7,    6,    5,    4,    3,    2,    1,    0,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

/// The 16 bytes before `end`, reversed; the name has at least 16 bytes. If `end` is below 16, zeros fill the rest.
static inline __m128i sixteen(const uint8_t *name, size_t end)
{
    size_t missing = end < 16 ? 16 - end : 0;
    __m128i bytes = _mm_loadu_si128((const __m128i *)(name + (end < 16 ? 0 : end - 16)));
    return _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)(turns + missing)));
}

static inline uint64_t turned8(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return __builtin_bswap64(word);
}

static inline uint64_t turned4(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, 4);
    return __builtin_bswap32(word);
}

/// A name of fewer than 16 bytes as one number, from its two ends, which may overlap.
static inline __m128i few(const uint8_t *name, size_t count)
{
    uint64_t last = 0, first = 0;
    if (count >= 8) {
        last = turned8(name + count - 8);
        // The first bytes that are not among the last eight. Two shifts, because one shift by 64 bits is undefined.
        first = turned8(name) >> 8 >> (15 - count) * 8;
    } else if (count >= 4) {
        last = turned4(name + count - 4) | turned4(name) >> (8 - count) * 8 << 32;
    } else {
        for (size_t index = 0; index < count; index++) last = last << 8 | name[index];
    }
    return _mm_set_epi64x((long long)first, (long long)last);
}

struct sallyport_packed_end sallyport_pack_name(
    const uint8_t *name, size_t count, struct sallyport_packed_rest *rest
)
{
    if (count < 16) {
        struct part one = part(few(name, count));
        *rest = (struct sallyport_packed_rest){.dots = one.dots};
        return (struct sallyport_packed_end){one.low << 2, one.low >> 62 | one.high << 2};
    }
    struct part one = part(sixteen(name, count)), two = part(sixteen(name, count - 16));
    rest->high = two.low >> 30 | two.high << 34;
    rest->top = two.high >> 30;
    rest->dots = one.dots | (uint64_t)two.dots << 16;
    if (count > 32) {
        struct part three = part(sixteen(name, count - 32));
        rest->top |= three.low << 2;
        rest->dots |= (uint64_t)three.dots << 32;
    }
    return (struct sallyport_packed_end){one.low << 2, one.low >> 62 | one.high << 2 | two.low << 34};
}

#pragma clang attribute pop

#else

struct sallyport_packed_end sallyport_pack_name(
    const uint8_t *name, size_t count, struct sallyport_packed_rest *rest
)
{
    (void)name;
    (void)count;
    (void)rest;
    __builtin_trap();
}

#endif
