#include "sha256.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_SHA2
#define HWCAP_SHA2 (1 << 6)
#endif
#endif

// In the order of enum sallyport_sha256_kernel.
static const struct sha256_kernel *const kernels[SALLYPORT_SHA256_KERNELS] = {
    &sallyport_sha256_portable,
#if defined(__x86_64__)
    &sallyport_sha256_avx2,
    &sallyport_sha256_extensions,
    &sallyport_sha256_avx512,
#elif defined(__aarch64__)
    0,
    &sallyport_sha256_extensions,
#endif
};

const struct sha256_kernel *sha256_kernel_for(enum sallyport_sha256_kernel kernel) {
    return kernels[kernel];
}

#if defined(__x86_64__) || defined(__aarch64__)
static int has_extensions(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
#elif defined(__linux__)
    return (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0;
#elif defined(__APPLE__)
    // All Apple processors of this architecture have the instructions.
    return 1;
#else
    return 0;
#endif
}
#endif

int sallyport_sha256_runs_here(enum sallyport_sha256_kernel kernel) {
    switch (kernel) {
    case SALLYPORT_SHA256_PORTABLE: return 1;
#if defined(__x86_64__) || defined(__aarch64__)
    case SALLYPORT_SHA256_EXTENSIONS: return has_extensions();
#endif
#if defined(__x86_64__)
    // The compiler's CPUID check, which also asks whether the system saves these registers.
    case SALLYPORT_SHA256_AVX2: return __builtin_cpu_supports("avx2") != 0;
    case SALLYPORT_SHA256_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512bw");
#endif
    default: return 0;
    }
}

enum sallyport_sha256_kernel sallyport_sha256_best_for_many(void) {
    // The list is ordered from slow to fast.
    int kernel = SALLYPORT_SHA256_KERNELS - 1;
    while (kernel > 0 && !sallyport_sha256_runs_here((enum sallyport_sha256_kernel)kernel)) kernel--;
    return (enum sallyport_sha256_kernel)kernel;
}

enum sallyport_sha256_kernel sallyport_sha256_best_for_one(void) {
    const int has = sallyport_sha256_runs_here(SALLYPORT_SHA256_EXTENSIONS);
    return has ? SALLYPORT_SHA256_EXTENSIONS : SALLYPORT_SHA256_PORTABLE;
}
