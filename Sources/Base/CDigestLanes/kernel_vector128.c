// Vectors of 128 bits, which every processor of the supported architectures has: SSE2 or NEON. No target is asked for,
// so elsewhere the compiler makes words of them and the result is the same.
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
