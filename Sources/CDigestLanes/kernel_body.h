// The body of every kernel, for a file that says how wide and how deep it is. No include guard, on purpose.
//
//   KERNEL_WIDTH   lanes in one vector: 1 (a plain word), 4, 8 or 16
//   KERNEL_DEPTH   vectors worked on in turns, so that one computes while another waits for its last result
//   KERNEL_SYMBOL  the table to define
//
// Vectors are those of the compiler's vector extension, which becomes whatever instructions the function may use:
// rotations and three-operand logic are one instruction each where AVX-512 is allowed. Depth is a loop with a constant
// count over small arrays; the compiler unrolls it and keeps the arrays in registers.

#include <string.h>

#include "lanes.h"

#define KERNEL_GROUP (KERNEL_WIDTH * KERNEL_DEPTH)
_Static_assert(SALLYPORT_LANES % KERNEL_GROUP == 0, "a tile is a whole number of groups");

#if KERNEL_WIDTH == 1
typedef uint32_t vector;
#else
typedef uint32_t vector __attribute__((vector_size(4 * KERNEL_WIDTH)));
#endif

#define ROTATE(v, bits) ((v) << (bits) | (v) >> (32 - (bits)))
#define EACH _Pragma("clang loop unroll(full)") for (int i = 0; i < KERNEL_DEPTH; i++)

/// The words of one row of a tile (a state or a block) that belong to a group's vector `i`.
#define AT(tile, row, i) ((tile) + (row) * SALLYPORT_LANES + (i) * KERNEL_WIDTH)

static inline __attribute__((always_inline)) void read_vector(vector *to, const uint32_t *from) {
    memcpy(to, from, sizeof(vector));
}

static inline __attribute__((always_inline)) void add_vector(uint32_t *to, const vector *amount) {
    vector sum;
    memcpy(&sum, to, sizeof(vector));
    sum += *amount;
    memcpy(to, &sum, sizeof(vector));
}

/// Defines a compression of one block in as many lanes as are wanted, rounded up to whole groups.
#define DEFINE_COMPRESSION(function)                                                                            \
    static void function(uint32_t *state, const uint32_t *words, size_t lanes) {                                \
        for (size_t lane = 0; lane < lanes; lane += KERNEL_GROUP) function##_group(state + lane, words + lane); \
    }

#define READ_STATE                                                             \
    vector a[KERNEL_DEPTH], b[KERNEL_DEPTH], c[KERNEL_DEPTH], d[KERNEL_DEPTH]; \
    EACH {                                                                     \
        read_vector(&a[i], AT(state, 0, i));                                   \
        read_vector(&b[i], AT(state, 1, i));                                   \
        read_vector(&c[i], AT(state, 2, i));                                   \
        read_vector(&d[i], AT(state, 3, i));                                   \
    }

#define ADD_TO_STATE                        \
    EACH {                                  \
        add_vector(AT(state, 0, i), &a[i]); \
        add_vector(AT(state, 1, i), &b[i]); \
        add_vector(AT(state, 2, i), &c[i]); \
        add_vector(AT(state, 3, i), &d[i]); \
    }

#define STEP(add, a, b, c, d, k, constant, bits)                                  \
    EACH {                                                                        \
        vector word;                                                              \
        read_vector(&word, AT(words, k, i));                                      \
        word = add((a)[i] + word + (uint32_t)(constant), (b)[i], (c)[i], (d)[i]); \
        (a)[i] = AFTER_ROTATION((b)[i]) ROTATE(word, bits);                       \
    }

#define AFTER_ROTATION(b)

static inline __attribute__((always_inline)) void md4_group(uint32_t *state, const uint32_t *words) {
    READ_STATE
#include "md4_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md4)

// MD5 adds the value of the step before once more.
#undef AFTER_ROTATION
#define AFTER_ROTATION(b) (b) +

static inline __attribute__((always_inline)) void md5_group(uint32_t *state, const uint32_t *words) {
    READ_STATE
#include "md5_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md5)

#include "kernel_transpose.h"

const struct lanes_kernel KERNEL_SYMBOL = {load, gather, store, md4, md5};
