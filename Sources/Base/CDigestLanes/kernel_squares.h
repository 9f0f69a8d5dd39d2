// Transposition of squares of words: rows of bytes become vectors with one word of each row, and back. The including
// file defines KERNEL_WIDTH (4, 8 or 16) and `vector`. It has no include guard, because it is included several times.
//
// 16 bytes of a row are four words of one lane. Four rows form a square of 4 × 4 words, which is transposed. A vector
// of 8 or 16 lanes holds two or four squares, of rows that are four apart, so that each lane gets its own column:
//
//   before, 8 lanes             after
//   r0 w0 w1 w2 w3 | r4 …       w0 of r0 r1 r2 r3 | of r4 r5 r6 r7
//   r1 w0 w1 w2 w3 | r5 …       w1 of r0 r1 r2 r3 | of r4 r5 r6 r7
//   r2 w0 w1 w2 w3 | r6 …       w2 …
//   r3 w0 w1 w2 w3 | r7 …       w3 …
//
// Transposing twice restores the rows, so the same instructions turn columns into rows.
//
// SQUARE_ROW(at, k) is vector k of the left column, where at(lane) is the address of that lane's sixteen bytes.

typedef uint32_t quad __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) quad quad_at(const uint8_t *bytes) {
    quad piece;
    memcpy(&piece, bytes, sizeof(quad));
    return piece;
}

#if KERNEL_WIDTH == 4
#define SQUARE_ROW(at, k) quad_at(at(k))
#define ZIP_LOW(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define ZIP_HIGH(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define PAIR_LOW(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define PAIR_HIGH(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)
#elif KERNEL_WIDTH == 8
#define JOIN_QUADS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define SQUARE_ROW(at, k) JOIN_QUADS(quad_at(at(k)), quad_at(at((k) + 4)))
#define ZIP_LOW(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define ZIP_HIGH(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define PAIR_LOW(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIR_HIGH(x, y) __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#elif KERNEL_WIDTH == 16
#define JOIN_QUADS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define JOIN_HALVES(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define SQUARE_ROW(at, k)                                           \
    JOIN_HALVES(JOIN_QUADS(quad_at(at(k)), quad_at(at((k) + 4))),    \
                JOIN_QUADS(quad_at(at((k) + 8)), quad_at(at((k) + 12))))
#define ZIP_LOW(x, y) \
    __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define ZIP_HIGH(x, y) \
    __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define PAIR_LOW(x, y) \
    __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define PAIR_HIGH(x, y) \
    __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#endif

/// Transposes each square of four vectors.
static inline __attribute__((always_inline)) void turn(vector row[4]) {
    const vector low01 = ZIP_LOW(row[0], row[1]), high01 = ZIP_HIGH(row[0], row[1]);
    const vector low23 = ZIP_LOW(row[2], row[3]), high23 = ZIP_HIGH(row[2], row[3]);
    row[0] = PAIR_LOW(low01, low23);
    row[1] = PAIR_HIGH(low01, low23);
    row[2] = PAIR_LOW(high01, high23);
    row[3] = PAIR_HIGH(high01, high23);
}
