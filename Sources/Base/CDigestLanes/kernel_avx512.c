// Vectors of 512 bits, depth four. 32 registers hold four chaining values and the operands of a step.
#if defined(__x86_64__)
// Included before the pragma, so that the pragma affects the kernel only.
#include <string.h>

#include "lanes.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl"))), apply_to = function)
#define KERNEL_WIDTH 16
#define KERNEL_DEPTH 4
#define KERNEL_REST 4
#define KERNEL_SYMBOL sallyport_kernel_avx512
#define SALLYPORT_TERNARY_LOGIC
#include "kernel_body.h"
#pragma clang attribute pop
#endif
