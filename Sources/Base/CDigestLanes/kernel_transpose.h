// Transposition of rows of bytes into the columns of a tile, and back. Included by kernel_body.h.
//
// The unit is a square of 4 × 4 words; kernel_squares.h shows it.

/// Loads at most 16 bytes, for rows at the end of readable memory.
static void load_piece_of_row(uint32_t *words, const uint8_t *piece, size_t bytes) {
    uint32_t four[4] = {0, 0, 0, 0};
    memcpy(four, piece, bytes);
    for (int k = 0; k < 4; k++) words[k * SALLYPORT_LANES] = four[k];
}

#if KERNEL_WIDTH > 1
#include "kernel_squares.h"

#define PIECE(lane) (rows + (lane) * stride)

/// Loads 16 bytes of as many rows as a vector has lanes, and clears those behind the first `bytes`.
static inline __attribute__((always_inline)) void load_pieces(
    uint32_t *words, const uint8_t *rows, size_t stride, size_t bytes
) {
    vector column[4] = {SQUARE_ROW(PIECE, 0), SQUARE_ROW(PIECE, 1), SQUARE_ROW(PIECE, 2), SQUARE_ROW(PIECE, 3)};
    turn(column);
    _Pragma("clang loop unroll(full)") for (size_t k = 0; k < 4; k++) {
        const size_t kept = bytes <= 4 * k ? 0 : bytes - 4 * k;
        if (kept < 4) column[k] &= ((uint32_t)1 << (8 * kept)) - 1;
        memcpy(words + k * SALLYPORT_LANES, &column[k], sizeof(vector));
    }
}

/// Loads one row of 16 bytes for each lane of a vector, and widens each byte to two.
static inline __attribute__((always_inline)) void widen_pieces(uint32_t *words, const uint8_t *rows) {
#define TEXT_ROW(lane) (rows + (lane) * SALLYPORT_TEXT_ROW)
    vector column[4] = {SQUARE_ROW(TEXT_ROW, 0), SQUARE_ROW(TEXT_ROW, 1), SQUARE_ROW(TEXT_ROW, 2), SQUARE_ROW(TEXT_ROW, 3)};
#undef TEXT_ROW
    turn(column);
    _Pragma("clang loop unroll(full)") for (size_t k = 0; k < 4; k++) {
        const vector low = (column[k] & 0xff) | (column[k] & 0xff00) << 8;
        const vector high = (column[k] >> 16 & 0xff) | (column[k] >> 8 & 0xff0000);
        memcpy(words + 2 * k * SALLYPORT_LANES, &low, sizeof(vector));
        memcpy(words + (2 * k + 1) * SALLYPORT_LANES, &high, sizeof(vector));
    }
}

/// Loads 16 bytes from `start` on of one row for each lane of a vector; rows may lie anywhere.
static inline __attribute__((always_inline)) void gather_pieces(
    uint32_t *words, const uint8_t *const *rows, size_t start
) {
#define POINTED_AT(lane) (rows[lane] + start)
    vector column[4] = {
        SQUARE_ROW(POINTED_AT, 0), SQUARE_ROW(POINTED_AT, 1), SQUARE_ROW(POINTED_AT, 2), SQUARE_ROW(POINTED_AT, 3)
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
        // Whole vectors, while 16 bytes are readable from the last of their rows on, even past the end of the row.
        for (; lane + KERNEL_WIDTH <= lanes; lane += KERNEL_WIDTH) {
            if ((lane + KERNEL_WIDTH - 1) * stride + start + 16 > readable) break;
            load_pieces(four + lane, rows + lane * stride + start, stride, bytes);
        }
#else
        // A single row is read only up to its end.
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

static void widen(uint32_t *words, const uint8_t *rows, size_t lanes) {
    size_t lane = 0;
#if KERNEL_WIDTH > 1
    for (; lane + KERNEL_WIDTH <= lanes; lane += KERNEL_WIDTH) widen_pieces(words + lane, rows + lane * SALLYPORT_TEXT_ROW);
#endif
    for (; lane < lanes; lane++) {
        const uint8_t *row = rows + lane * SALLYPORT_TEXT_ROW;
        for (size_t k = 0; k < SALLYPORT_TEXT_WORDS; k++) {
            words[k * SALLYPORT_LANES + lane] = (uint32_t)row[2 * k] | (uint32_t)row[2 * k + 1] << 16;
        }
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
