// Vectors of 256 bits. Sixteen registers hold the chaining values of three and little else: what spills costs less than
// the waiting at a depth of two, 6.7 against 8.4 ns a block of MD5 on a Zen 3 (15.1 at one, 11.5 at four).
#if defined(__x86_64__)
// Before the pragma, so that it is about the kernel alone.
#include <string.h>

#include "lanes.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define KERNEL_WIDTH 8
#define KERNEL_DEPTH 3
#define KERNEL_REST 2
#define KERNEL_SYMBOL sallyport_kernel_avx2
#include "kernel_body.h"
#pragma clang attribute pop
#endif
