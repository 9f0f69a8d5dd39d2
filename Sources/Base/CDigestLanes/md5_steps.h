// The 64 steps of RFC 1321 section 3.4, for the scalar function and all kernels; the including file defines STEP. It
// has no include guard, because it is included several times.
//
// ADD_x adds the round's function of x, y, z to a sum. `x` is the result of the previous step, so operations without it
// come first.

// A selection, with one operation less than in the RFC.
#define ADD_F(sum, x, y, z) ((sum) + ((z) ^ ((x) & ((y) ^ (z)))))
#ifdef SALLYPORT_TERNARY_LOGIC
// Any function of three words is one instruction.
#define ADD_G(sum, x, y, z) ((sum) + ((y) ^ ((z) & ((x) ^ (y)))))
#else
// The selection as the sum of two parts without common bits. Only one part depends on x.
#define ADD_G(sum, x, y, z) ((sum) + (~(z) & (y)) + ((z) & (x)))
#endif
#define ADD_H(sum, x, y, z) ((sum) + ((x) ^ ((y) ^ (z))))
#ifdef SALLYPORT_AND_NOT
// y ^ (x | ~z) is the complement of y ^ (~x & z), and adding a complement ~w equals subtracting w and 1.
#define ADD_I(sum, x, y, z) ((sum) - ((y) ^ (~(x) & (z))))
#define FOR_I(constant) ((constant) - 1)
#else
#define ADD_I(sum, x, y, z) ((sum) + ((y) ^ ((x) | ~(z))))
#define FOR_I(constant) (constant)
#endif

// Round 1
STEP(ADD_F, a, b, c, d, 0, 0xd76aa478, 7);
STEP(ADD_F, d, a, b, c, 1, 0xe8c7b756, 12);
STEP(ADD_F, c, d, a, b, 2, 0x242070db, 17);
STEP(ADD_F, b, c, d, a, 3, 0xc1bdceee, 22);
STEP(ADD_F, a, b, c, d, 4, 0xf57c0faf, 7);
STEP(ADD_F, d, a, b, c, 5, 0x4787c62a, 12);
STEP(ADD_F, c, d, a, b, 6, 0xa8304613, 17);
STEP(ADD_F, b, c, d, a, 7, 0xfd469501, 22);
STEP(ADD_F, a, b, c, d, 8, 0x698098d8, 7);
STEP(ADD_F, d, a, b, c, 9, 0x8b44f7af, 12);
STEP(ADD_F, c, d, a, b, 10, 0xffff5bb1, 17);
STEP(ADD_F, b, c, d, a, 11, 0x895cd7be, 22);
STEP(ADD_F, a, b, c, d, 12, 0x6b901122, 7);
STEP(ADD_F, d, a, b, c, 13, 0xfd987193, 12);
STEP(ADD_F, c, d, a, b, 14, 0xa679438e, 17);
STEP(ADD_F, b, c, d, a, 15, 0x49b40821, 22);
// Round 2
STEP(ADD_G, a, b, c, d, 1, 0xf61e2562, 5);
STEP(ADD_G, d, a, b, c, 6, 0xc040b340, 9);
STEP(ADD_G, c, d, a, b, 11, 0x265e5a51, 14);
STEP(ADD_G, b, c, d, a, 0, 0xe9b6c7aa, 20);
STEP(ADD_G, a, b, c, d, 5, 0xd62f105d, 5);
STEP(ADD_G, d, a, b, c, 10, 0x02441453, 9);
STEP(ADD_G, c, d, a, b, 15, 0xd8a1e681, 14);
STEP(ADD_G, b, c, d, a, 4, 0xe7d3fbc8, 20);
STEP(ADD_G, a, b, c, d, 9, 0x21e1cde6, 5);
STEP(ADD_G, d, a, b, c, 14, 0xc33707d6, 9);
STEP(ADD_G, c, d, a, b, 3, 0xf4d50d87, 14);
STEP(ADD_G, b, c, d, a, 8, 0x455a14ed, 20);
STEP(ADD_G, a, b, c, d, 13, 0xa9e3e905, 5);
STEP(ADD_G, d, a, b, c, 2, 0xfcefa3f8, 9);
STEP(ADD_G, c, d, a, b, 7, 0x676f02d9, 14);
STEP(ADD_G, b, c, d, a, 12, 0x8d2a4c8a, 20);
// Round 3
STEP(ADD_H, a, b, c, d, 5, 0xfffa3942, 4);
STEP(ADD_H, d, a, b, c, 8, 0x8771f681, 11);
STEP(ADD_H, c, d, a, b, 11, 0x6d9d6122, 16);
STEP(ADD_H, b, c, d, a, 14, 0xfde5380c, 23);
STEP(ADD_H, a, b, c, d, 1, 0xa4beea44, 4);
STEP(ADD_H, d, a, b, c, 4, 0x4bdecfa9, 11);
STEP(ADD_H, c, d, a, b, 7, 0xf6bb4b60, 16);
STEP(ADD_H, b, c, d, a, 10, 0xbebfbc70, 23);
STEP(ADD_H, a, b, c, d, 13, 0x289b7ec6, 4);
STEP(ADD_H, d, a, b, c, 0, 0xeaa127fa, 11);
STEP(ADD_H, c, d, a, b, 3, 0xd4ef3085, 16);
STEP(ADD_H, b, c, d, a, 6, 0x04881d05, 23);
STEP(ADD_H, a, b, c, d, 9, 0xd9d4d039, 4);
STEP(ADD_H, d, a, b, c, 12, 0xe6db99e5, 11);
STEP(ADD_H, c, d, a, b, 15, 0x1fa27cf8, 16);
STEP(ADD_H, b, c, d, a, 2, 0xc4ac5665, 23);
// Round 4
STEP(ADD_I, a, b, c, d, 0, FOR_I(0xf4292244), 6);
STEP(ADD_I, d, a, b, c, 7, FOR_I(0x432aff97), 10);
STEP(ADD_I, c, d, a, b, 14, FOR_I(0xab9423a7), 15);
STEP(ADD_I, b, c, d, a, 5, FOR_I(0xfc93a039), 21);
STEP(ADD_I, a, b, c, d, 12, FOR_I(0x655b59c3), 6);
STEP(ADD_I, d, a, b, c, 3, FOR_I(0x8f0ccc92), 10);
STEP(ADD_I, c, d, a, b, 10, FOR_I(0xffeff47d), 15);
STEP(ADD_I, b, c, d, a, 1, FOR_I(0x85845dd1), 21);
STEP(ADD_I, a, b, c, d, 8, FOR_I(0x6fa87e4f), 6);
STEP(ADD_I, d, a, b, c, 15, FOR_I(0xfe2ce6e0), 10);
STEP(ADD_I, c, d, a, b, 6, FOR_I(0xa3014314), 15);
STEP(ADD_I, b, c, d, a, 13, FOR_I(0x4e0811a1), 21);
STEP(ADD_I, a, b, c, d, 4, FOR_I(0xf7537e82), 6);
STEP(ADD_I, d, a, b, c, 11, FOR_I(0xbd3af235), 10);
STEP(ADD_I, c, d, a, b, 2, FOR_I(0x2ad7d2bb), 15);
STEP(ADD_I, b, c, d, a, 9, FOR_I(0xeb86d391), 21);

#undef ADD_F
#undef ADD_G
#undef ADD_H
#undef ADD_I
#undef FOR_I
