// The 48 steps of RFC 1320 section 3.4, for the scalar function and all kernels; the including file defines STEP. It
// has no include guard, because it is included several times.
//
// ADD_x adds the round's function of x, y, z to a sum. `x` is the result of the previous step, so operations without it
// come first.

// A selection, with one operation less than in the RFC.
#define ADD_F(sum, x, y, z) ((sum) + ((z) ^ ((x) & ((y) ^ (z)))))
#ifdef SALLYPORT_TERNARY_LOGIC
// Any function of three words is one instruction.
#define ADD_G(sum, x, y, z) ((sum) + (((x) & (y)) | ((z) & ((x) | (y)))))
#else
// The majority as the sum of two parts without common bits. Only one part depends on x.
#define ADD_G(sum, x, y, z) ((sum) + ((y) & (z)) + ((x) & ((y) ^ (z))))
#endif
#define ADD_H(sum, x, y, z) ((sum) + ((x) ^ ((y) ^ (z))))

// Round 1
STEP(ADD_F, a, b, c, d, 0, 0, 3);
STEP(ADD_F, d, a, b, c, 1, 0, 7);
STEP(ADD_F, c, d, a, b, 2, 0, 11);
STEP(ADD_F, b, c, d, a, 3, 0, 19);
STEP(ADD_F, a, b, c, d, 4, 0, 3);
STEP(ADD_F, d, a, b, c, 5, 0, 7);
STEP(ADD_F, c, d, a, b, 6, 0, 11);
STEP(ADD_F, b, c, d, a, 7, 0, 19);
STEP(ADD_F, a, b, c, d, 8, 0, 3);
STEP(ADD_F, d, a, b, c, 9, 0, 7);
STEP(ADD_F, c, d, a, b, 10, 0, 11);
STEP(ADD_F, b, c, d, a, 11, 0, 19);
STEP(ADD_F, a, b, c, d, 12, 0, 3);
STEP(ADD_F, d, a, b, c, 13, 0, 7);
STEP(ADD_F, c, d, a, b, 14, 0, 11);
STEP(ADD_F, b, c, d, a, 15, 0, 19);
// Round 2: the square root of 2
STEP(ADD_G, a, b, c, d, 0, 0x5a827999, 3);
STEP(ADD_G, d, a, b, c, 4, 0x5a827999, 5);
STEP(ADD_G, c, d, a, b, 8, 0x5a827999, 9);
STEP(ADD_G, b, c, d, a, 12, 0x5a827999, 13);
STEP(ADD_G, a, b, c, d, 1, 0x5a827999, 3);
STEP(ADD_G, d, a, b, c, 5, 0x5a827999, 5);
STEP(ADD_G, c, d, a, b, 9, 0x5a827999, 9);
STEP(ADD_G, b, c, d, a, 13, 0x5a827999, 13);
STEP(ADD_G, a, b, c, d, 2, 0x5a827999, 3);
STEP(ADD_G, d, a, b, c, 6, 0x5a827999, 5);
STEP(ADD_G, c, d, a, b, 10, 0x5a827999, 9);
STEP(ADD_G, b, c, d, a, 14, 0x5a827999, 13);
STEP(ADD_G, a, b, c, d, 3, 0x5a827999, 3);
STEP(ADD_G, d, a, b, c, 7, 0x5a827999, 5);
STEP(ADD_G, c, d, a, b, 11, 0x5a827999, 9);
STEP(ADD_G, b, c, d, a, 15, 0x5a827999, 13);
// Round 3: the square root of 3
STEP(ADD_H, a, b, c, d, 0, 0x6ed9eba1, 3);
STEP(ADD_H, d, a, b, c, 8, 0x6ed9eba1, 9);
STEP(ADD_H, c, d, a, b, 4, 0x6ed9eba1, 11);
STEP(ADD_H, b, c, d, a, 12, 0x6ed9eba1, 15);
STEP(ADD_H, a, b, c, d, 2, 0x6ed9eba1, 3);
STEP(ADD_H, d, a, b, c, 10, 0x6ed9eba1, 9);
STEP(ADD_H, c, d, a, b, 6, 0x6ed9eba1, 11);
STEP(ADD_H, b, c, d, a, 14, 0x6ed9eba1, 15);
STEP(ADD_H, a, b, c, d, 1, 0x6ed9eba1, 3);
STEP(ADD_H, d, a, b, c, 9, 0x6ed9eba1, 9);
STEP(ADD_H, c, d, a, b, 5, 0x6ed9eba1, 11);
STEP(ADD_H, b, c, d, a, 13, 0x6ed9eba1, 15);
STEP(ADD_H, a, b, c, d, 3, 0x6ed9eba1, 3);
STEP(ADD_H, d, a, b, c, 11, 0x6ed9eba1, 9);
STEP(ADD_H, c, d, a, b, 7, 0x6ed9eba1, 11);
STEP(ADD_H, b, c, d, a, 15, 0x6ed9eba1, 15);

#undef ADD_F
#undef ADD_G
#undef ADD_H
