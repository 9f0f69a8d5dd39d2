// Vectors of 512 bits, where a rotation and any function of three words are one instruction each.
#if defined(__x86_64__)
// Before the pragma, so that it is about the kernel alone.
#include <string.h>

#include "sha256.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw"))), apply_to = function)
#define KERNEL_WIDTH 16
#define KERNEL_SYMBOL sallyport_sha256_avx512
#include "sha256_lanes.h"
#pragma clang attribute pop
#endif
