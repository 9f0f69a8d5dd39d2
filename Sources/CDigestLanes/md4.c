#include "CDigestLanes.h"
#include "words.h"

// RFC 1320 section 3.4. F is written as a selection, G as a majority, each with one operation less than in the text.
#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))

#define STEP(f, a, b, c, d, k, constant, bits) (a) = rotate_left((a) + f((b), (c), (d)) + word[k] + (constant), (bits))

void sallyport_md4_compress(uint32_t state[4], const uint8_t *blocks, size_t count) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (; count > 0; count--, blocks += SALLYPORT_DIGEST_BLOCK) {
        const uint32_t old_a = a, old_b = b, old_c = c, old_d = d;
        uint32_t word[16];
        for (int index = 0; index < 16; index++) word[index] = load_word(blocks + 4 * index);

        // Round 1
        STEP(F, a, b, c, d, 0, 0, 3);
        STEP(F, d, a, b, c, 1, 0, 7);
        STEP(F, c, d, a, b, 2, 0, 11);
        STEP(F, b, c, d, a, 3, 0, 19);
        STEP(F, a, b, c, d, 4, 0, 3);
        STEP(F, d, a, b, c, 5, 0, 7);
        STEP(F, c, d, a, b, 6, 0, 11);
        STEP(F, b, c, d, a, 7, 0, 19);
        STEP(F, a, b, c, d, 8, 0, 3);
        STEP(F, d, a, b, c, 9, 0, 7);
        STEP(F, c, d, a, b, 10, 0, 11);
        STEP(F, b, c, d, a, 11, 0, 19);
        STEP(F, a, b, c, d, 12, 0, 3);
        STEP(F, d, a, b, c, 13, 0, 7);
        STEP(F, c, d, a, b, 14, 0, 11);
        STEP(F, b, c, d, a, 15, 0, 19);
        // Round 2: the square root of 2
        STEP(G, a, b, c, d, 0, 0x5a827999, 3);
        STEP(G, d, a, b, c, 4, 0x5a827999, 5);
        STEP(G, c, d, a, b, 8, 0x5a827999, 9);
        STEP(G, b, c, d, a, 12, 0x5a827999, 13);
        STEP(G, a, b, c, d, 1, 0x5a827999, 3);
        STEP(G, d, a, b, c, 5, 0x5a827999, 5);
        STEP(G, c, d, a, b, 9, 0x5a827999, 9);
        STEP(G, b, c, d, a, 13, 0x5a827999, 13);
        STEP(G, a, b, c, d, 2, 0x5a827999, 3);
        STEP(G, d, a, b, c, 6, 0x5a827999, 5);
        STEP(G, c, d, a, b, 10, 0x5a827999, 9);
        STEP(G, b, c, d, a, 14, 0x5a827999, 13);
        STEP(G, a, b, c, d, 3, 0x5a827999, 3);
        STEP(G, d, a, b, c, 7, 0x5a827999, 5);
        STEP(G, c, d, a, b, 11, 0x5a827999, 9);
        STEP(G, b, c, d, a, 15, 0x5a827999, 13);
        // Round 3: the square root of 3
        STEP(H, a, b, c, d, 0, 0x6ed9eba1, 3);
        STEP(H, d, a, b, c, 8, 0x6ed9eba1, 9);
        STEP(H, c, d, a, b, 4, 0x6ed9eba1, 11);
        STEP(H, b, c, d, a, 12, 0x6ed9eba1, 15);
        STEP(H, a, b, c, d, 2, 0x6ed9eba1, 3);
        STEP(H, d, a, b, c, 10, 0x6ed9eba1, 9);
        STEP(H, c, d, a, b, 6, 0x6ed9eba1, 11);
        STEP(H, b, c, d, a, 14, 0x6ed9eba1, 15);
        STEP(H, a, b, c, d, 1, 0x6ed9eba1, 3);
        STEP(H, d, a, b, c, 9, 0x6ed9eba1, 9);
        STEP(H, c, d, a, b, 5, 0x6ed9eba1, 11);
        STEP(H, b, c, d, a, 13, 0x6ed9eba1, 15);
        STEP(H, a, b, c, d, 3, 0x6ed9eba1, 3);
        STEP(H, d, a, b, c, 11, 0x6ed9eba1, 9);
        STEP(H, c, d, a, b, 7, 0x6ed9eba1, 11);
        STEP(H, b, c, d, a, 15, 0x6ed9eba1, 15);

        a += old_a;
        b += old_b;
        c += old_c;
        d += old_d;
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
}
