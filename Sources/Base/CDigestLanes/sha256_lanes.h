// SHA-256 with one message in each lane of a vector; the including file defines the width. It has no include guard,
// because it is included several times.
//
//   KERNEL_WIDTH   lanes in one vector: 8 or 16
//   KERNEL_SYMBOL  the table to define

#include <string.h>

#include "sha256.h"
#include "sha256_functions.h"

typedef uint32_t vector __attribute__((vector_size(4 * KERNEL_WIDTH)));
typedef uint8_t byte_vector __attribute__((vector_size(4 * KERNEL_WIDTH)));

#define ROTATE_RIGHT(v, bits) ((v) >> (bits) | (v) << (32 - (bits)))

#include "kernel_squares.h"

static inline __attribute__((always_inline)) vector swap_bytes(vector words) {
    return (words & 0xff) << 24 | (words & 0xff00) << 8 | (words >> 8 & 0xff00) | words >> 24;
}

/// Reads four words of each lane, from byte `offset` of its block on.
static inline __attribute__((always_inline)) void read_words(
    vector words[4], const uint8_t *const *blocks, size_t offset
) {
#define BLOCK_PIECE(lane) (blocks[lane] + offset)
    words[0] = SQUARE_ROW(BLOCK_PIECE, 0);
    words[1] = SQUARE_ROW(BLOCK_PIECE, 1);
    words[2] = SQUARE_ROW(BLOCK_PIECE, 2);
    words[3] = SQUARE_ROW(BLOCK_PIECE, 3);
    turn(words);
    for (int k = 0; k < 4; k++) words[k] = swap_bytes(words[k]);
}

/// Reads half of every lane's chaining value: its words 0 to 3, or 4 to 7.
static inline __attribute__((always_inline)) void read_state(
    vector words[4], uint32_t (*state)[SHA256_WORDS], size_t first
) {
#define STATE_PIECE(lane) ((const uint8_t *)&state[lane][first])
    words[0] = SQUARE_ROW(STATE_PIECE, 0);
    words[1] = SQUARE_ROW(STATE_PIECE, 1);
    words[2] = SQUARE_ROW(STATE_PIECE, 2);
    words[3] = SQUARE_ROW(STATE_PIECE, 3);
    turn(words);
}

static inline __attribute__((always_inline)) void write_state(
    vector words[4], uint32_t (*state)[SHA256_WORDS], size_t first
) {
    turn(words);
    _Pragma("clang loop unroll(full)") for (size_t lane = 0; lane < KERNEL_WIDTH; lane++) {
        memcpy(&state[lane][first], (const uint8_t *)&words[lane % 4] + lane / 4 * 16, 16);
    }
}

// The eight variables change their roles, so that the words need not move.
#define STEP(a, b, c, d, e, f, g, h, t)                                                                              \
    do {                                                                                                             \
        const vector first = (h) + BIG_SIGMA_1(e) + CHOOSE(e, f, g) + (word[(t) & 15] + sha256_constants[t]);        \
        (d) += first;                                                                                                \
        (h) = first + BIG_SIGMA_0(a) + MAJORITY(a, b, c);                                                            \
    } while (0)

#define EXTEND(t)                                                                                                    \
    (word[(t) & 15] += SMALL_SIGMA_1(word[((t) + 14) & 15]) + word[((t) + 9) & 15]                                   \
        + SMALL_SIGMA_0(word[((t) + 1) & 15]))

#define EIGHT_STEPS(t)                                  \
    STEP(a, b, c, d, e, f, g, h, (t));                  \
    STEP(h, a, b, c, d, e, f, g, (t) + 1);              \
    STEP(g, h, a, b, c, d, e, f, (t) + 2);              \
    STEP(f, g, h, a, b, c, d, e, (t) + 3);              \
    STEP(e, f, g, h, a, b, c, d, (t) + 4);              \
    STEP(d, e, f, g, h, a, b, c, (t) + 5);              \
    STEP(c, d, e, f, g, h, a, b, (t) + 6);              \
    STEP(b, c, d, e, f, g, h, a, (t) + 7)

#define EXTEND_EIGHT(t) \
    EXTEND(t); EXTEND((t) + 1); EXTEND((t) + 2); EXTEND((t) + 3); \
    EXTEND((t) + 4); EXTEND((t) + 5); EXTEND((t) + 6); EXTEND((t) + 7)

static void compress(uint32_t (*state)[SHA256_WORDS], const uint8_t *const *from, size_t count) {
    const uint8_t *blocks[KERNEL_WIDTH];
    memcpy(blocks, from, sizeof blocks);
    vector low[4], high[4];
    read_state(low, state, 0);
    read_state(high, state, 4);
    for (; count > 0; count--) {
        vector word[16];
        for (size_t quarter = 0; quarter < 4; quarter++) read_words(word + 4 * quarter, blocks, 16 * quarter);
        vector a = low[0], b = low[1], c = low[2], d = low[3];
        vector e = high[0], f = high[1], g = high[2], h = high[3];
        EIGHT_STEPS(0);
        EIGHT_STEPS(8);
        for (int t = 16; t < 64; t += 16) {
            EXTEND_EIGHT(0);
            EIGHT_STEPS(t);
            EXTEND_EIGHT(8);
            EIGHT_STEPS(t + 8);
        }
        low[0] += a;
        low[1] += b;
        low[2] += c;
        low[3] += d;
        high[0] += e;
        high[1] += f;
        high[2] += g;
        high[3] += h;
        for (size_t lane = 0; lane < KERNEL_WIDTH; lane++) blocks[lane] += SHA256_BLOCK;
    }
    write_state(low, state, 0);
    write_state(high, state, 4);
}

const struct sha256_kernel KERNEL_SYMBOL = {KERNEL_WIDTH, compress, 0};
