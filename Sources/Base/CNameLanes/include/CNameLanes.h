/// Packs host names and classifies the bytes of URLs, 16 at a time.
///
/// `PackedName` in AllowedSites defines the layout and has a portable version. The code is C, because Swift has no
/// access to the instructions: byte shuffle, multiply and add of neighbours, and one bit of each byte.

#ifndef SALLYPORT_CNAMELANES_H
#define SALLYPORT_CNAMELANES_H

#include <stddef.h>
#include <stdint.h>

/// The first two words of a name of up to 42 bytes, the last byte of the name in the lowest bits.
struct sallyport_packed_end {
    uint64_t low, middle;
};

/// The other two words of a name, and one bit for each dot, counted from its end.
struct sallyport_packed_rest {
    uint64_t high, top;
    uint64_t dots;
};

/// The longest name that can be packed, in bytes.
#define SALLYPORT_PACKED_NAME 42

/// Whether this machine has SSSE3. Do not call `sallyport_pack_name` without it.
static inline int sallyport_name_lanes_run_here(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("ssse3") != 0;
#else
    return 0;
#endif
}

/// Packs `count` bytes at `name`, 1 to SALLYPORT_PACKED_NAME; reads no other bytes. The words that a lookup needs first
/// are returned in registers.
struct sallyport_packed_end sallyport_pack_name(
    const uint8_t *name, size_t count, struct sallyport_packed_rest *rest
);

/// A packed name of up to 42 bytes, or a mask for one.
struct sallyport_name_words {
    uint64_t low, middle, high, top;
};

/// Masks for the last 0 to 42 bytes of a packed name, then masks for keys of 0 to 32 bytes. Reading a mask takes eight
/// instructions less than computing it.
__attribute__((visibility("hidden"))) extern const struct sallyport_name_words sallyport_name_masks[43 + 33];

/// The mask for the last `length` bytes of a packed name, 0 to SALLYPORT_PACKED_NAME.
static inline struct sallyport_name_words sallyport_suffix_mask(size_t length) { return sallyport_name_masks[length]; }

/// The mask for a key of `length` bytes, 0 to 32.
static inline struct sallyport_name_words sallyport_key_mask(size_t length)
{
    return sallyport_name_masks[SALLYPORT_PACKED_NAME + 1 + length];
}

/// The state of a walk over the parents of a long name, longest first. `LongName` in AllowedSites owns words, hashes
/// and dots.
struct sallyport_parents {
    /// The packed name; the hash of words 0 to i; one bit for each dot, counted from the end of the name.
    const uint64_t *words, *hashes, *dots;
    /// The current word of dots, and its remaining dots.
    size_t dot_word;
    uint64_t dots_left;
    /// The number of labels of the next parent.
    uint64_t labels;
};

/// The wanted parents: `counts` has one bit for each wanted number of labels, and `filter` is the Bloom filter.
struct sallyport_wanted {
    const uint64_t *filter;
    uint64_t filter_words;
    uint64_t counts[2];
    /// The factor of the hash, and the constant that is combined with the hash of a wildcard by exclusive-or.
    uint64_t multiplier, below;
};

/// A parent that passes the filter.
struct sallyport_parent {
    /// The length in bytes; 0 = none found.
    size_t length;
    /// The hash of the wildcard above it.
    uint64_t key;
};

/// The next wanted parent with at least 32 bytes and more than `most` labels. The state allows continuing with shorter
/// parents.
struct sallyport_parent sallyport_next_parent(
    struct sallyport_parents *parents, const struct sallyport_wanted *wanted, uint64_t most
);

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

/// The classes of 16 bytes of a host, one bit for each byte, the first byte in the lowest bit: `names` for letters,
/// digits, `-`, `.` and `_`; `dots`; `hyphens`.
struct sallyport_host_bytes {
    uint16_t names, dots, hyphens;
};

/// Classifies the 16 bytes at `bytes`.
static inline struct sallyport_host_bytes sallyport_look_at_host(const uint8_t *bytes)
{
    sallyport_sixteen b = sallyport_load_sixteen(bytes);
    sallyport_sixteen letters = (sallyport_sixteen)((b | 0x20) - 'a' <= 'z' - 'a');
    // The range '-' to '9' contains '/', which is excluded.
    sallyport_sixteen others = (sallyport_sixteen)(b - '-' <= '9' - '-') & (sallyport_sixteen)(b != '/');
    struct sallyport_host_bytes result = {
        sallyport_bits(letters | others | (sallyport_sixteen)(b == '_')),
        sallyport_bits((sallyport_sixteen)(b == '.')),
        sallyport_bits((sallyport_sixteen)(b == '-')),
    };
    return result;
}

/// The classes of 16 bytes of a path and query: `odd` for bytes that `URLLocation` must check (white space, controls,
/// `\`, bytes above 126); `marks` for `?` and `#`, which end a path.
struct sallyport_path_bytes {
    uint16_t odd, marks;
};

/// Classifies the 16 bytes at `bytes`.
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
