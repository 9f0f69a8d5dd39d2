// With Benchmarks/CCounters/allocations.c preloaded into a program: writes the number of its allocations when it ends.
#include <stdint.h>
#include <stdio.h>

uint64_t sallyport_allocations_of_all_threads(void);

__attribute__((destructor)) static void tell(void) {
    fprintf(stderr, "allocations %llu\n", (unsigned long long)sallyport_allocations_of_all_threads());
}
