// Vectors of 256 bits.
#if defined(__x86_64__)
// Before the pragma, so that it is about the kernel alone.
#include <string.h>

#include "sha256.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define KERNEL_WIDTH 8
#define KERNEL_SYMBOL sallyport_sha256_avx2
#include "sha256_lanes.h"
#pragma clang attribute pop
#endif
