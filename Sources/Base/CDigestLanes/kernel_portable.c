// Plain words, two lanes in turns: for any processor, and the measure for the others.
#define KERNEL_WIDTH 1
#define KERNEL_DEPTH 2
#define KERNEL_REST 2
#define KERNEL_SYMBOL sallyport_kernel_portable
#include "kernel_body.h"
