// Vectors of 256 bits, depth three. 16 registers hold three chaining values and little else. The spills cost less than
// the waits at depth two: 6.7 against 8.4 ns a block of MD5 on a Zen 3 (15.1 at depth one, 11.5 at four).
#if defined(__x86_64__)
// Included before the pragma, so that the pragma affects the kernel only.
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
