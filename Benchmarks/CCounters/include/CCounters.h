/// Counts allocations and retains of the program that links this target.
///
/// The wrappers have the names of the functions that they count, so the dynamic linker finds them before those of the C
/// library and of the Swift runtime. Only Linux with glibc has them, and the retains only on x86-64.

#ifndef SALLYPORT_CCOUNTERS_H
#define SALLYPORT_CCOUNTERS_H

#include <stdint.h>

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__)
#define SALLYPORT_COUNTS_ALLOCATIONS 1
#else
#define SALLYPORT_COUNTS_ALLOCATIONS 0
#endif

#if defined(__GLIBC__) && defined(__x86_64__)
#define SALLYPORT_COUNTS_RETAINS 1
#else
#define SALLYPORT_COUNTS_RETAINS 0
#endif

/// The number of allocations of this thread since it started; 0 where nothing counts them.
uint64_t sallyport_allocations(void);

/// The number of allocations of all threads; 0 where nothing counts them.
uint64_t sallyport_allocations_of_all_threads(void);

/// The number of retains of this thread since it started; 0 where nothing counts them. Retains inside the standard library
/// itself are not seen, because it calls its own functions directly.
uint64_t sallyport_retains(void);

#endif
