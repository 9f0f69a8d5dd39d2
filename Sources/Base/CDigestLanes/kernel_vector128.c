// Vectors of 128 bits (SSE2 or NEON), which all processors of the supported architectures have. On other architectures
// the compiler uses plain words with the same result.
#define KERNEL_WIDTH 4
#if defined(__aarch64__)
// 32 registers.
#define KERNEL_DEPTH 4
#define KERNEL_REST 4
#else
// 16 registers.
#define KERNEL_DEPTH 2
#define KERNEL_REST 2
#endif
#define KERNEL_SYMBOL sallyport_kernel_vector128
#include "kernel_body.h"
