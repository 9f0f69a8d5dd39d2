#include "CDigestLanes.h"

#include <string.h>

void sallyport_digest_erase(void *memory, size_t count) {
    if (count == 0) return;
    memset(memory, 0, count);
    // For all the compiler knows, these instructions read the memory; so none of the stores may be dropped as dead.
    __asm__ __volatile__("" : : "r"(memory) : "memory");
}
