// The body of every kernel, for a file that says how wide and how deep it is. No include guard, on purpose.
//
//   KERNEL_WIDTH   lanes in one vector: 1 (a plain word), 4, 8 or 16
//   KERNEL_DEPTH   vectors worked on in turns, so that one computes while another waits for its last result
//   KERNEL_REST    how many where fewer are left, or fewer columns exist
//   KERNEL_SYMBOL  the table to define
//
// Vectors are those of the compiler's vector extension, which becomes whatever instructions the function may use:
// rotations and three-operand logic are one instruction each where AVX-512 is allowed. Depth is a loop over small arrays
// whose count is a constant where the function is inlined; the compiler unrolls it and keeps the arrays in registers.

#include <string.h>

#include "lanes.h"

#define KERNEL_GROUP (KERNEL_WIDTH * KERNEL_DEPTH)
#define KERNEL_REST_GROUP (KERNEL_WIDTH * KERNEL_REST)
/// So few lanes are left that the smaller depth has room for them.
#define KERNEL_NEEDLESS (KERNEL_GROUP == KERNEL_REST_GROUP ? 0 : KERNEL_REST_GROUP)
_Static_assert(SALLYPORT_LANES % KERNEL_GROUP % KERNEL_REST_GROUP == 0, "a tile is a whole number of groups");

#if KERNEL_WIDTH == 1
typedef uint32_t vector;
#else
typedef uint32_t vector __attribute__((vector_size(4 * KERNEL_WIDTH)));
#endif

#define ROTATE(v, bits) ((v) << (bits) | (v) >> (32 - (bits)))
#define EACH _Pragma("clang loop unroll(full)") for (int i = 0; i < depth; i++)

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

/// Starts the steps of one group: they stand in a block behind it.
#define DEFINE_GROUP(function)                                               \
    static inline __attribute__((always_inline)) void function##_of_depth(   \
        uint32_t *state, const uint32_t *words, const int depth              \
    )

/// Defines a compression of one block in as many lanes as are wanted, rounded up to whole groups.
///
/// Groups are functions that are called: inlined, both would share their registers and keep constants on the stack. Plain
/// words are left to the compiler, which makes small vectors of them where it sees the loop.
#if KERNEL_WIDTH == 1
#define KERNEL_CALLED inline __attribute__((always_inline))
#else
#define KERNEL_CALLED __attribute__((noinline))
#endif
#define DEFINE_COMPRESSION(function)                                                                              \
    static KERNEL_CALLED void function##_group(uint32_t *state, const uint32_t *words) {                          \
        function##_of_depth(state, words, KERNEL_DEPTH);                                                          \
    }                                                                                                             \
    static KERNEL_CALLED void function##_rest(uint32_t *state, const uint32_t *words) {                           \
        function##_of_depth(state, words, KERNEL_REST);                                                           \
    }                                                                                                             \
    static void function(uint32_t *state, const uint32_t *words, size_t lanes) {                                  \
        size_t lane = 0;                                                                                          \
        /* Never beyond the tile, and never at the full depth where the smaller one would do. */                  \
        while (lane + KERNEL_GROUP <= SALLYPORT_LANES && lanes > lane + KERNEL_NEEDLESS) {                        \
            function##_group(state + lane, WORDS_FROM(lane));                                                     \
            lane += KERNEL_GROUP;                                                                                 \
        }                                                                                                         \
        for (; lane < lanes; lane += KERNEL_REST_GROUP) function##_rest(state + lane, WORDS_FROM(lane));          \
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

#define STEP(add, a, b, c, d, k, constant, bits)             \
    EACH {                                                   \
        vector word = (a)[i];                                \
        ADD_WORD(word, k, constant)                          \
        word = add(word, (b)[i], (c)[i], (d)[i]);            \
        (a)[i] = AFTER_ROTATION((b)[i]) ROTATE(word, bits);  \
    }                                                        \
    AFTER_STEP

/// Adds the lane's own word and the step's constant.
#define ADD_OWN_WORD(sum, k, constant, pad)              \
    {                                                    \
        vector own;                                      \
        read_vector(&own, AT(words, k, i));              \
        (sum) += (own ^ (pad)) + (uint32_t)(constant);   \
    }

// A block of which every lane has all words of its own.
#define WORDS_FROM(lane) (words + (lane))
#define ADD_WORD(sum, k, constant) ADD_OWN_WORD(sum, k, constant, 0)
#define AFTER_ROTATION(b)
#define AFTER_STEP

DEFINE_GROUP(md4) {
    READ_STATE
#include "md4_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md4)

// MD5 adds the value of the step before once more.
#undef AFTER_ROTATION
#define AFTER_ROTATION(b) (b) +

DEFINE_GROUP(md5) {
    READ_STATE
#include "md5_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md5)

// A block that all lanes share: `words` are the sums of word and constant, one for each step.
#undef WORDS_FROM
#undef ADD_WORD
#undef AFTER_STEP
#define WORDS_FROM(lane) words
#define ADD_WORD(sum, k, constant) (sum) += *words;
#define AFTER_STEP words++;
DEFINE_GROUP(md5_shared) {
    READ_STATE
#include "md5_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md5_shared)

// Blocks of HMAC of which only the first four words are a lane's own; the constants behind them are one with the steps'.
#undef WORDS_FROM
#undef ADD_WORD
#undef AFTER_STEP
#define WORDS_FROM(lane) (words + (lane))
#define AFTER_STEP
#define ADD_WORD(sum, k, constant)                                              \
    if ((k) < 4) ADD_OWN_WORD(sum, k, constant, OWN_PAD)                        \
    else (sum) += (uint32_t)(constant) + (uint32_t)(FIXED_WORD(k));

// The padded keys of RFC 2104 section 2, for keys of 16 bytes.
#define OWN_PAD 0x36363636u
#define FIXED_WORD(k) 0x36363636u
DEFINE_GROUP(md5_inner_key) {
    READ_STATE
#include "md5_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md5_inner_key)

#undef OWN_PAD
#undef FIXED_WORD
#define OWN_PAD 0x5c5c5c5cu
#define FIXED_WORD(k) 0x5c5c5c5cu
DEFINE_GROUP(md5_outer_key) {
    READ_STATE
#include "md5_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md5_outer_key)

// A digest behind one block, and the end of a message of both.
#undef OWN_PAD
#undef FIXED_WORD
#define OWN_PAD 0
#define FIXED_WORD(k) ((k) == 4 ? 0x80u : (k) == 14 ? 8u * (SALLYPORT_DIGEST_BLOCK + 16) : 0u)
DEFINE_GROUP(md5_digest) {
    READ_STATE
#include "md5_steps.h"
    ADD_TO_STATE
}
DEFINE_COMPRESSION(md5_digest)

#include "kernel_transpose.h"

const struct lanes_kernel KERNEL_SYMBOL = {
    load, gather, store, md4, md5, md5_shared, {md5_inner_key, md5_outer_key, md5_digest},
};
