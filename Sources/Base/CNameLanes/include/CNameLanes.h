/// Host names and URLs, sixteen bytes at a time.
///
/// What a packed name is stands at `PackedName` in AllowedSites, which also has the portable way of making it. Swift cannot
/// say the instructions that this is about: bytes moved by a table, neighbours multiplied and added, a bit of each byte.

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

/// A packed name of up to 42 bytes, or a mask for one.
struct sallyport_name_words {
    uint64_t low, middle, high, top;
};

/// Masks for the last 0, 1, … 42 bytes of a packed name and, behind those, for keys of 0, 1, … 32 bytes. Eight instructions
/// less a name than making them; a table of the program, so that no image has to have one.
__attribute__((visibility("hidden"))) extern const struct sallyport_name_words sallyport_name_masks[43 + 33];

/// The mask for the last `length` bytes of a packed name, 0 to SALLYPORT_PACKED_NAME of them.
static inline struct sallyport_name_words sallyport_suffix_mask(size_t length) { return sallyport_name_masks[length]; }

/// The mask for a key of `length` bytes, 0 to 32 of them.
static inline struct sallyport_name_words sallyport_key_mask(size_t length)
{
    return sallyport_name_masks[SALLYPORT_PACKED_NAME + 1 + length];
}

/// A walk over the parents of a long name, the longest first; `LongName` in AllowedSites has words, hashes and dots of it.
struct sallyport_parents {
    /// The name packed, the hash of its first words up to each, and a bit for each dot, counted from the end of the name.
    const uint64_t *words, *hashes, *dots;
    /// Which word of dots is looked at, and which of its dots are left.
    size_t dot_word;
    uint64_t dots_left;
    /// How many labels the next parent has.
    uint64_t labels;
};

/// What parents are looked for: those with so many labels (a bit for each number) whose own word of the filter holds them.
struct sallyport_wanted {
    const uint64_t *filter;
    uint64_t filter_words;
    uint64_t counts[2];
    /// What a hash is multiplied by, and what it is mixed with where it stands for the names below.
    uint64_t multiplier, below;
};

/// A parent that the filter holds.
struct sallyport_parent {
    /// In bytes; 0 where there is none.
    size_t length;
    /// The hash of the names below it.
    uint64_t key;
};

/// The next parent that is wanted, of those with 32 bytes and more than `most` labels; the rest of the walk is left.
struct sallyport_parent sallyport_next_parent(
    struct sallyport_parents *parents, const struct sallyport_wanted *wanted, uint64_t most
);

/// All bits if `number` is not zero, else none. A number and no condition: of conditions compilers make branches, and nobody
/// can foresee which way these go.
static inline uint64_t sallyport_mask_if_not_zero(uint64_t number)
{
    uint64_t mask = -((number | -number) >> 63);
    __asm__("" : "+r"(mask));
    return mask;
}

/// The bytes that `sallyport_with_room` gives.
#define SALLYPORT_ROOM 8192

/// Calls `body` with room on the stack, begun at a line of memory and not set to anything, and with `context`. What a
/// temporary allocation of Swift would take from the heap from a kilobyte on.
void sallyport_with_room(void (*body)(void *room, void *context), void *context);

/// Asks for the line of memory at `place`, and does not wait for it. Any address will do.
static inline void sallyport_prefetch(const void *place) { __builtin_prefetch(place); }

typedef uint8_t sallyport_sixteen __attribute__((vector_size(16)));
typedef _Bool sallyport_sixteen_bits __attribute__((ext_vector_type(16)));

static inline sallyport_sixteen sallyport_load_sixteen(const uint8_t *bytes)
{
    sallyport_sixteen sixteen;
    __builtin_memcpy(&sixteen, bytes, sizeof sixteen);
    return sixteen;
}

static inline uint16_t sallyport_bits(sallyport_sixteen truths)
{
    sallyport_sixteen_bits bits = __builtin_convertvector(truths, sallyport_sixteen_bits);
    uint16_t result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

/// What sixteen bytes of a host are, a bit for each byte, the first one lowest: bytes of names (letters, digits, `-`, `.`,
/// `_`), and among them dots and hyphens.
struct sallyport_host_bytes {
    uint16_t names, dots, hyphens;
};

/// Looks at the sixteen bytes at `bytes`.
static inline struct sallyport_host_bytes sallyport_look_at_host(const uint8_t *bytes)
{
    sallyport_sixteen b = sallyport_load_sixteen(bytes);
    sallyport_sixteen letters = (sallyport_sixteen)((b | 0x20) - 'a' <= 'z' - 'a');
    // From '-' to '9' there is one more byte, '/'.
    sallyport_sixteen others = (sallyport_sixteen)(b - '-' <= '9' - '-') & (sallyport_sixteen)(b != '/');
    struct sallyport_host_bytes result = {
        sallyport_bits(letters | others | (sallyport_sixteen)(b == '_')),
        sallyport_bits((sallyport_sixteen)(b == '.')),
        sallyport_bits((sallyport_sixteen)(b == '-')),
    };
    return result;
}

/// What sixteen bytes of a path and query are, as above: bytes that need a closer look (white space, controls, `\`, all above
/// 126), and those that end a path (`?` and `#`).
struct sallyport_path_bytes {
    uint16_t odd, marks;
};

/// Looks at the sixteen bytes at `bytes`.
static inline struct sallyport_path_bytes sallyport_look_at_path(const uint8_t *bytes)
{
    sallyport_sixteen b = sallyport_load_sixteen(bytes);
    struct sallyport_path_bytes result = {
        sallyport_bits((sallyport_sixteen)(b <= 0x20) | (sallyport_sixteen)(b >= 0x7f) | (sallyport_sixteen)(b == '\\')),
        sallyport_bits((sallyport_sixteen)(b == '?') | (sallyport_sixteen)(b == '#')),
    };
    return result;
}

#endif
