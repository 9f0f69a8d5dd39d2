#include "CDigestLanes.h"
#include "words.h"

// RFC 1321 section 3.4, two messages interleaved. Words are loaded where they are added, because the states use all
// registers.
#define STEP(add, a, b, c, d, k, constant, bits)  \
    STEP_OF(0, add, a, b, c, d, k, constant, bits); \
    STEP_OF(1, add, a, b, c, d, k, constant, bits)
#define STEP_OF(n, add, a, b, c, d, k, constant, bits)                             \
    (a##n) = (b##n) + rotate_left(                                                 \
        add(ready((a##n) + load_word(block##n + 4 * (k)) + (constant)), b##n, c##n, d##n), (bits) \
    )

void sallyport_md5_compress_pair(
    uint32_t first[4], const uint8_t *block0, uint32_t second[4], const uint8_t *block1, size_t count
) {
    for (; count > 0; count--, block0 += SALLYPORT_DIGEST_BLOCK, block1 += SALLYPORT_DIGEST_BLOCK) {
        uint32_t a0 = first[0], b0 = first[1], c0 = first[2], d0 = first[3];
        uint32_t a1 = second[0], b1 = second[1], c1 = second[2], d1 = second[3];

#include "md5_steps.h"

        first[0] += a0;
        first[1] += b0;
        first[2] += c0;
        first[3] += d0;
        second[0] += a1;
        second[1] += b1;
        second[2] += c1;
        second[3] += d1;
    }
}
