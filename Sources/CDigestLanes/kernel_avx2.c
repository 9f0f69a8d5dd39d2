// Vectors of 256 bits. Sixteen registers hold the chaining values of two and what a step needs; a third would spill.
#if defined(__x86_64__)
// Before the pragma, so that it is about the kernel alone.
#include <string.h>

#include "lanes.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define KERNEL_WIDTH 8
#define KERNEL_DEPTH 2
#define KERNEL_SYMBOL sallyport_kernel_avx2
#include "kernel_body.h"
#pragma clang attribute pop
#endif
