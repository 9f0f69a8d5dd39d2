// Vectors of 256 bits.
#if defined(__x86_64__)
// Included before the pragma, so that the pragma affects the kernel only.
#include <string.h>

#include "sha256.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define KERNEL_WIDTH 8
#define KERNEL_SYMBOL sallyport_sha256_avx2
#include "sha256_lanes.h"
#pragma clang attribute pop
#endif
