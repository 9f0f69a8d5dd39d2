// Plain words, two lanes interleaved: runs on any processor and is the reference for the other kernels.
#define KERNEL_WIDTH 1
#define KERNEL_DEPTH 2
#define KERNEL_REST 2
#define KERNEL_SYMBOL sallyport_kernel_portable
#include "kernel_body.h"
