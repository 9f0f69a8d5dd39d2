#include "lanes.h"

#include <string.h>

// In the order of enum sallyport_kernel.
static const struct lanes_kernel *const kernels[SALLYPORT_KERNELS] = {
    &sallyport_kernel_portable,
    &sallyport_kernel_vector128,
#if defined(__x86_64__)
    &sallyport_kernel_avx2,
    &sallyport_kernel_avx512,
#endif
};

int sallyport_kernel_runs_here(enum sallyport_kernel kernel) {
    switch (kernel) {
    case SALLYPORT_KERNEL_PORTABLE:
    case SALLYPORT_KERNEL_VECTOR128: return 1;
#if defined(__x86_64__)
    // The compiler's CPUID check, which also asks whether the system saves these registers.
    case SALLYPORT_KERNEL_AVX2: return __builtin_cpu_supports("avx2") != 0;
    case SALLYPORT_KERNEL_AVX512: return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#endif
    default: return 0;
    }
}

enum sallyport_kernel sallyport_kernel_best(void) {
    // The list is ordered from narrow to wide.
    int kernel = SALLYPORT_KERNELS - 1;
    while (kernel > 0 && !sallyport_kernel_runs_here((enum sallyport_kernel)kernel)) kernel--;
    return (enum sallyport_kernel)kernel;
}

void sallyport_lanes_load(
    enum sallyport_kernel kernel, uint32_t *words, const uint8_t *rows, size_t stride, size_t readable, size_t lanes,
    size_t length
) {
    kernels[kernel]->load(words, rows, stride, readable, lanes, length);
}

void sallyport_lanes_gather(
    enum sallyport_kernel kernel, uint32_t *words, const uint8_t *const *rows, size_t lanes
) {
    kernels[kernel]->gather(words, rows, lanes);
}

void sallyport_lanes_store(
    enum sallyport_kernel kernel, uint8_t *rows, size_t stride, const uint32_t *state, size_t lanes
) {
    kernels[kernel]->store(rows, stride, state, lanes);
}

void sallyport_lanes_pad(uint32_t *words, size_t length) {
    // `load` writes whole groups of four words and fills the last group with zeros.
    const size_t written = (length + 15) / 16 * 4;
    memset(words + written * SALLYPORT_LANES, 0, (16 - written) * SALLYPORT_LANES * sizeof(uint32_t));
    uint32_t *marked = words + length / 4 * SALLYPORT_LANES;
    const uint32_t mark = (uint32_t)0x80 << (8 * (length % 4));
    for (size_t lane = 0; lane < SALLYPORT_LANES; lane++) marked[lane] |= mark;
}

void sallyport_lanes_close(uint32_t *words, uint64_t bit_count) {
    for (size_t lane = 0; lane < SALLYPORT_LANES; lane++) {
        words[14 * SALLYPORT_LANES + lane] = (uint32_t)bit_count;
        words[15 * SALLYPORT_LANES + lane] = (uint32_t)(bit_count >> 32);
    }
}

void sallyport_lanes_start(uint32_t *state, const uint32_t initial[4]) {
    for (size_t word = 0; word < 4; word++) {
        for (size_t lane = 0; lane < SALLYPORT_LANES; lane++) state[word * SALLYPORT_LANES + lane] = initial[word];
    }
}

void sallyport_md4_compress_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *words, size_t lanes
) {
    kernels[kernel]->md4(state, state, words, lanes);
}

void sallyport_md4_texts(
    enum sallyport_kernel kernel, uint32_t *state, uint32_t *words, const uint8_t *rows, size_t lanes
) {
    kernels[kernel]->widen(words, rows, lanes);
    kernels[kernel]->md4_text(state, state, words, lanes);
}

void sallyport_md5_compress_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *words, size_t lanes
) {
    kernels[kernel]->md5(state, state, words, lanes);
}

void sallyport_md5_compress_shared_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *sums, size_t lanes
) {
    kernels[kernel]->md5_shared(state, state, sums, lanes);
}

void sallyport_md5_start_hmac_lanes(
    enum sallyport_kernel kernel, uint32_t *state, uint32_t *outer, size_t lanes
) {
    kernels[kernel]->md5_outer_key(outer, outer, state, lanes);
    kernels[kernel]->md5_inner_key(state, state, state, lanes);
}

void sallyport_md5_end_hmac_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *outer, size_t lanes
) {
    kernels[kernel]->md5_digest(state, outer, state, lanes);
}
