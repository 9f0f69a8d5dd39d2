#include "CDigestLanes.h"

void sallyport_digest_erase(void *memory, size_t count) {
    // Stores through a volatile pointer are observable, so none of them may be dropped as dead.
    volatile uint8_t *bytes = memory;
    for (size_t index = 0; index < count; index++) bytes[index] = 0;
}
