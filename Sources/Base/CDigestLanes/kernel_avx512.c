// Vectors of 512 bits. Thirty-two registers hold the chaining values of four and what a step needs.
#if defined(__x86_64__)
// Before the pragma, so that it is about the kernel alone.
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
