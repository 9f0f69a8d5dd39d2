#include "CDigestLanes.h"

#include <string.h>

void sallyport_digest_erase(void *memory, size_t count) {
    if (count == 0) return;
    memset(memory, 0, count);
    // The compiler must assume that the empty assembly reads the memory, so it cannot remove the stores as dead.
    __asm__ __volatile__("" : : "r"(memory) : "memory");
}
