/// What a kernel of lanes offers, and which kernels there are.

#ifndef SALLYPORT_LANES_H
#define SALLYPORT_LANES_H

#include "CDigestLanes.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The kernels take words as they lie in memory, which is right for little-endian machines only."
#endif

/// One instruction set's way of doing everything that costs time in a tile.
struct lanes_kernel {
    void (*load)(uint32_t *words, const uint8_t *rows, size_t stride, size_t readable, size_t lanes, size_t length);
    void (*gather)(uint32_t *words, const uint8_t *const *rows, size_t lanes);
    void (*store)(uint8_t *rows, size_t stride, const uint32_t *state, size_t lanes);
    void (*md4_compress)(uint32_t *state, const uint32_t *words, size_t lanes);
    void (*md5_compress)(uint32_t *state, const uint32_t *words, size_t lanes);
    /// `sums` are those of sallyport_md5_add_constants.
    void (*md5_compress_shared)(uint32_t *state, const uint32_t *sums, size_t lanes);
    /// In the order of enum sallyport_hmac_block.
    void (*md5_compress_hmac[3])(uint32_t *state, const uint32_t *words, size_t lanes);
};

extern const struct lanes_kernel sallyport_kernel_portable;
extern const struct lanes_kernel sallyport_kernel_vector128;
#if defined(__x86_64__)
extern const struct lanes_kernel sallyport_kernel_avx2;
extern const struct lanes_kernel sallyport_kernel_avx512;
#endif

#endif
