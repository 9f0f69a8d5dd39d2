#include "CNameLanes.h"

// The mask of the lowest `bits` bits of a number, for its word that begins at bit `start`.
#define WORD(bits, start) \
    ((bits) >= (start) + 64 ? ~UINT64_C(0) : (bits) > (start) ? (UINT64_C(1) << ((bits) - (start) & 63)) - 1 : 0)
#define WORDS(bits) {WORD(bits, 0), WORD(bits, 64), WORD(bits, 128), WORD(bits, 192)}
// Two flag bits precede the bytes of a name.
#define SUFFIX(length) WORDS(6 * (length) + 2)
#define KEY(length) WORDS(8 * (length))
#define EIGHT(mask, from) \
    mask(from), mask(from + 1), mask(from + 2), mask(from + 3), mask(from + 4), mask(from + 5), mask(from + 6), \
        mask(from + 7)

const struct sallyport_name_words sallyport_name_masks[43 + 33] = {
    EIGHT(SUFFIX, 0), EIGHT(SUFFIX, 8), EIGHT(SUFFIX, 16), EIGHT(SUFFIX, 24), EIGHT(SUFFIX, 32),
    SUFFIX(40), SUFFIX(41), SUFFIX(42),
    EIGHT(KEY, 0), EIGHT(KEY, 8), EIGHT(KEY, 16), EIGHT(KEY, 24), KEY(32),
};
