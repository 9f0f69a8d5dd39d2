/// The functions of a kernel of lanes, and the list of kernels.

#ifndef SALLYPORT_LANES_H
#define SALLYPORT_LANES_H

#include "CDigestLanes.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The kernels take words as they lie in memory, which is right for little-endian machines only."
#endif

/// The number of words of a block that a short text uses.
#define SALLYPORT_TEXT_WORDS (SALLYPORT_TEXT_ROW / 2)

/// Compresses a block of each lane, `words`, into the chaining values `state`.
typedef void lanes_compression(uint32_t *result, const uint32_t *state, const uint32_t *words, size_t lanes);

/// The functions of a tile for one instruction set.
struct lanes_kernel {
    void (*load)(uint32_t *words, const uint8_t *rows, size_t stride, size_t readable, size_t lanes, size_t length);
    void (*gather)(uint32_t *words, const uint8_t *const *rows, size_t lanes);
    void (*widen)(uint32_t *words, const uint8_t *rows, size_t lanes);
    void (*store)(uint8_t *rows, size_t stride, const uint32_t *state, size_t lanes);
    /// Compressions: `result` may be `state`, and `words` either of them.
    lanes_compression *md4, *md4_text, *md5;
    /// `words` are those of sallyport_md5_add_constants.
    lanes_compression *md5_shared;
    /// Of `words`, only the first four rows are read; keys have no state before them.
    lanes_compression *md5_inner_key, *md5_outer_key, *md5_digest;
};

extern const struct lanes_kernel sallyport_kernel_portable;
extern const struct lanes_kernel sallyport_kernel_vector128;
#if defined(__x86_64__)
extern const struct lanes_kernel sallyport_kernel_avx2;
extern const struct lanes_kernel sallyport_kernel_avx512;
#endif

#endif
