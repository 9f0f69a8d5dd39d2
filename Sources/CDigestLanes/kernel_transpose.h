// How a kernel turns rows of bytes into a tile's columns, and back: part of kernel_body.h, apart because it is another idea.
//
// Sixteen bytes of a row are four words of one lane. Pieces of four rows make, word by word, a square of 4 × 4 to be
// turned about its diagonal. A vector of 8 or 16 lanes holds two or four such squares side by side, of rows that are
// four apart, so that every lane ends up in its own column:
//
//   before, 8 lanes             after
//   r0 w0 w1 w2 w3 | r4 …       w0 of r0 r1 r2 r3 | of r4 r5 r6 r7
//   r1 w0 w1 w2 w3 | r5 …       w1 of r0 r1 r2 r3 | of r4 r5 r6 r7
//   r2 w0 w1 w2 w3 | r6 …       w2 …
//   r3 w0 w1 w2 w3 | r7 …       w3 …
//
// Turned twice, everything is where it was: columns become rows by the same instructions.

/// Loads one piece of 16 bytes or less, for rows behind which nothing may be read.
static void load_piece_of_row(uint32_t *words, const uint8_t *piece, size_t bytes) {
    uint32_t four[4] = {0, 0, 0, 0};
    memcpy(four, piece, bytes);
    for (int k = 0; k < 4; k++) words[k * SALLYPORT_LANES] = four[k];
}

#if KERNEL_WIDTH > 1
typedef uint32_t quad __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) quad quad_at(const uint8_t *bytes) {
    quad piece;
    memcpy(&piece, bytes, sizeof(quad));
    return piece;
}

#if KERNEL_WIDTH == 4
#define PIECES(at, n) quad_at(at(n))
#define ZIP_LOW(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define ZIP_HIGH(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define PAIR_LOW(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define PAIR_HIGH(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)
#elif KERNEL_WIDTH == 8
#define JOIN_QUADS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define PIECES(at, n) JOIN_QUADS(quad_at(at(n)), quad_at(at((n) + 4)))
#define ZIP_LOW(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define ZIP_HIGH(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define PAIR_LOW(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIR_HIGH(x, y) __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#elif KERNEL_WIDTH == 16
#define JOIN_QUADS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define JOIN_HALVES(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PIECES(at, n)                                                   \
    JOIN_HALVES(JOIN_QUADS(quad_at(at(n)), quad_at(at((n) + 4))),       \
                JOIN_QUADS(quad_at(at((n) + 8)), quad_at(at((n) + 12))))
#define ZIP_LOW(x, y) \
    __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define ZIP_HIGH(x, y) \
    __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define PAIR_LOW(x, y) \
    __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define PAIR_HIGH(x, y) \
    __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#endif

/// Turns every square of four vectors about its diagonal.
static inline __attribute__((always_inline)) void turn(vector row[4]) {
    const vector low01 = ZIP_LOW(row[0], row[1]), high01 = ZIP_HIGH(row[0], row[1]);
    const vector low23 = ZIP_LOW(row[2], row[3]), high23 = ZIP_HIGH(row[2], row[3]);
    row[0] = PAIR_LOW(low01, low23);
    row[1] = PAIR_HIGH(low01, low23);
    row[2] = PAIR_LOW(high01, high23);
    row[3] = PAIR_HIGH(high01, high23);
}

/// Loads 16 bytes of as many rows as a vector has lanes, and clears those behind the first `bytes`.
static inline __attribute__((always_inline)) void load_pieces(
    uint32_t *words, const uint8_t *rows, size_t stride, size_t bytes
) {
#define IN_STEP(n) (rows + (n) * stride)
    vector column[4] = {PIECES(IN_STEP, 0), PIECES(IN_STEP, 1), PIECES(IN_STEP, 2), PIECES(IN_STEP, 3)};
#undef IN_STEP
    turn(column);
    _Pragma("clang loop unroll(full)") for (size_t k = 0; k < 4; k++) {
        const size_t kept = bytes <= 4 * k ? 0 : bytes - 4 * k;
        if (kept < 4) column[k] &= ((uint32_t)1 << (8 * kept)) - 1;
        memcpy(words + k * SALLYPORT_LANES, &column[k], sizeof(vector));
    }
}

/// Loads 16 bytes of each row, from `start` on, of as many rows as a vector has lanes, wherever they stand.
static inline __attribute__((always_inline)) void gather_pieces(
    uint32_t *words, const uint8_t *const *rows, size_t start
) {
#define POINTED_AT(n) (rows[n] + start)
    vector column[4] = {
        PIECES(POINTED_AT, 0), PIECES(POINTED_AT, 1), PIECES(POINTED_AT, 2), PIECES(POINTED_AT, 3)
    };
#undef POINTED_AT
    turn(column);
    _Pragma("clang loop unroll(full)") for (size_t k = 0; k < 4; k++) {
        memcpy(words + k * SALLYPORT_LANES, &column[k], sizeof(vector));
    }
}

/// Stores the chaining values of as many lanes as a vector has.
static inline __attribute__((always_inline)) void store_pieces(uint8_t *rows, size_t stride, const uint32_t *state) {
    vector row[4];
    for (int k = 0; k < 4; k++) read_vector(&row[k], state + k * SALLYPORT_LANES);
    turn(row);
    _Pragma("clang loop unroll(full)") for (size_t lane = 0; lane < KERNEL_WIDTH; lane++) {
        memcpy(rows + lane * stride, (const uint8_t *)&row[lane % 4] + lane / 4 * 16, 16);
    }
}
#endif

static void load(
    uint32_t *words, const uint8_t *rows, size_t stride, size_t readable, size_t lanes, size_t length
) {
    for (size_t start = 0; start < length; start += 16) {
        const size_t bytes = length - start < 16 ? length - start : 16;
        uint32_t *four = words + start / 4 * SALLYPORT_LANES;
        size_t lane = 0;
#if KERNEL_WIDTH > 1
        // Whole vectors, as long as the last of their rows has 16 bytes to read, be they its own or not.
        for (; lane + KERNEL_WIDTH <= lanes; lane += KERNEL_WIDTH) {
            if ((lane + KERNEL_WIDTH - 1) * stride + start + 16 > readable) break;
            load_pieces(four + lane, rows + lane * stride + start, stride, bytes);
        }
#else
        // A row by itself is read to its end and no further.
        (void)readable;
#endif
        for (; lane < lanes; lane++) load_piece_of_row(four + lane, rows + lane * stride + start, bytes);
    }
}

static void gather(uint32_t *words, const uint8_t *const *rows, size_t lanes) {
    for (size_t start = 0; start < SALLYPORT_DIGEST_BLOCK; start += 16) {
        uint32_t *four = words + start / 4 * SALLYPORT_LANES;
        size_t lane = 0;
#if KERNEL_WIDTH > 1
        for (; lane + KERNEL_WIDTH <= lanes; lane += KERNEL_WIDTH) gather_pieces(four + lane, rows + lane, start);
#endif
        for (; lane < lanes; lane++) load_piece_of_row(four + lane, rows[lane] + start, 16);
    }
}

static void store(uint8_t *rows, size_t stride, const uint32_t *state, size_t lanes) {
    size_t lane = 0;
#if KERNEL_WIDTH > 1
    for (; lane + KERNEL_WIDTH <= lanes; lane += KERNEL_WIDTH) store_pieces(rows + lane * stride, stride, state + lane);
#endif
    for (; lane < lanes; lane++) {
        const uint32_t four[4] = {
            state[lane], state[SALLYPORT_LANES + lane], state[2 * SALLYPORT_LANES + lane],
            state[3 * SALLYPORT_LANES + lane]
        };
        memcpy(rows + lane * stride, four, sizeof four);
    }
}
