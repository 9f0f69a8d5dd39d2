// Vectors of 512 bits. A rotation, and each function of three words, is one instruction.
#if defined(__x86_64__)
// Included before the pragma, so that the pragma affects the kernel only.
#include <string.h>

#include "sha256.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw"))), apply_to = function)
#define KERNEL_WIDTH 16
#define KERNEL_SYMBOL sallyport_sha256_avx512
#include "sha256_lanes.h"
#pragma clang attribute pop
#endif
