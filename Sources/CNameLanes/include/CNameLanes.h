/// Packing of host names, six bits a byte, sixteen bytes at a time.
///
/// What the packed form means is drawn at `PackedName` in AllowedSites, which also has the portable way of making it. Swift
/// cannot say the instructions that this is about: bytes moved by a table, and neighbours multiplied and added.

#ifndef SALLYPORT_CNAMELANES_H
#define SALLYPORT_CNAMELANES_H

#include <stddef.h>
#include <stdint.h>

/// The first two words of a name of up to 42 bytes, the last byte of the name in the lowest bits.
struct sallyport_packed_end {
    uint64_t low, middle;
};

/// The other two words of a name, and a bit for each dot, counted from its end.
struct sallyport_packed_rest {
    uint64_t high, top;
    uint64_t dots;
};

/// The longest name that can be packed.
#define SALLYPORT_PACKED_NAME 42

/// Whether this machine has the instructions (SSSE3). The function below may not be called without them.
static inline int sallyport_name_lanes_run_here(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("ssse3") != 0;
#else
    return 0;
#endif
}

/// Packs `count` bytes at `name`, 1 to SALLYPORT_PACKED_NAME of them; no others are read. What a lookup needs first comes
/// back in registers.
struct sallyport_packed_end sallyport_pack_name(
    const uint8_t *name, size_t count, struct sallyport_packed_rest *rest
);

/// Asks for the line of memory at `place`, and does not wait for it. Any address will do.
static inline void sallyport_prefetch(const void *place) { __builtin_prefetch(place); }

#endif
