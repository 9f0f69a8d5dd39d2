// The body of all kernels. The including file defines width and depth. It has no include guard, because it is included
// several times.
//
//   KERNEL_WIDTH   lanes in one vector: 1 (a plain word), 4, 8 or 16
//   KERNEL_DEPTH   interleaved vectors: one computes while another waits for its last result KERNEL_REST    the depth
//   for the remaining lanes
//   KERNEL_SYMBOL  the table to define
//
// Vectors are those of the compiler's vector extension, which becomes whatever instructions the function may use:
// rotations and three-operand logic are one instruction each where AVX-512 is allowed. Depth is a loop over small arrays
// whose count is a constant where the function is inlined; the compiler unrolls it and keeps the arrays in registers.

#include <string.h>

#include "lanes.h"

/// Vectors have an instruction for x & ~y, but none for x | ~y.
#define SALLYPORT_AND_NOT

#define KERNEL_GROUP (KERNEL_WIDTH * KERNEL_DEPTH)
#define KERNEL_REST_GROUP (KERNEL_WIDTH * KERNEL_REST)
/// Whether the smaller depth has enough lanes for the rest.
#define KERNEL_NEEDLESS (KERNEL_GROUP == KERNEL_REST_GROUP ? 0 : KERNEL_REST_GROUP)
_Static_assert(SALLYPORT_LANES % KERNEL_GROUP % KERNEL_REST_GROUP == 0, "a tile is a whole number of groups");

#if KERNEL_WIDTH == 1
typedef uint32_t vector;
#define ZERO 0
#else
typedef uint32_t vector __attribute__((vector_size(4 * KERNEL_WIDTH)));
#define ZERO {0}
#endif

#define ROTATE(v, bits) ((v) << (bits) | (v) >> (32 - (bits)))
#define EACH _Pragma("clang loop unroll(full)") for (int i = 0; i < depth; i++)

/// The words of one row of a tile (a state or a block) that belong to a group's vector `i`.
#define AT(tile, row, i) ((tile) + (row) * SALLYPORT_LANES + (i) * KERNEL_WIDTH)

static inline __attribute__((always_inline)) void read_vector(vector *to, const uint32_t *from) {
    memcpy(to, from, sizeof(vector));
}

/// Writes the sum of `old` and `amount`; both places may be the same.
static inline __attribute__((always_inline)) void write_sum(uint32_t *to, const uint32_t *old, const vector *amount) {
    vector sum;
    memcpy(&sum, old, sizeof(vector));
    sum += *amount;
    memcpy(to, &sum, sizeof(vector));
}

/// Writes the sum of one word for all lanes and `amount`.
static inline __attribute__((always_inline)) void write_sum_of_word(uint32_t *to, uint32_t word, const vector *amount) {
    const vector sum = *amount + word;
    memcpy(to, &sum, sizeof(vector));
}

/// Begins the steps of one group; a block with the steps follows.
#define DEFINE_GROUP(function)                                               \
    static inline __attribute__((always_inline)) void function##_of_depth(   \
        uint32_t *result, const uint32_t *state, const uint32_t *words,      \
        const int depth                                                      \
    )

/// Defines a compression of one block in the requested number of lanes, rounded up to whole groups.
///
/// Groups are not inlined, because two inlined groups would share registers and move constants to the stack. Groups of
/// plain words are left to the compiler, which vectorises the loop.
#if KERNEL_WIDTH == 1
#define KERNEL_CALLED inline __attribute__((always_inline))
#else
#define KERNEL_CALLED __attribute__((noinline))
#endif
#define DEFINE_COMPRESSION(function)                                                                              \
    static KERNEL_CALLED void function##_group(uint32_t *result, const uint32_t *state, const uint32_t *words) {  \
        function##_of_depth(result, state, words, KERNEL_DEPTH);                                                  \
    }                                                                                                             \
    static KERNEL_CALLED void function##_rest(uint32_t *result, const uint32_t *state, const uint32_t *words) {   \
        function##_of_depth(result, state, words, KERNEL_REST);                                                   \
    }                                                                                                             \
    static void function(uint32_t *result, const uint32_t *state, const uint32_t *words, size_t lanes) {          \
        size_t lane = 0;                                                                                          \
        /* Never beyond the tile, and never at the full depth where the smaller one would do. */                  \
        while (lane + KERNEL_GROUP <= SALLYPORT_LANES && lanes > lane + KERNEL_NEEDLESS) {                        \
            function##_group(result + lane, state + lane, WORDS_FROM(lane));                                      \
            lane += KERNEL_GROUP;                                                                                 \
        }                                                                                                         \
        for (; lane < lanes; lane += KERNEL_REST_GROUP) {                                                         \
            function##_rest(result + lane, state + lane, WORDS_FROM(lane));                                       \
        }                                                                                                         \
    }

#define READ_STATE                                                             \
    vector a[KERNEL_DEPTH], b[KERNEL_DEPTH], c[KERNEL_DEPTH], d[KERNEL_DEPTH]; \
    EACH {                                                                     \
        read_vector(&a[i], AT(state, 0, i));                                   \
        read_vector(&b[i], AT(state, 1, i));                                   \
        read_vector(&c[i], AT(state, 2, i));                                   \
        read_vector(&d[i], AT(state, 3, i));                                   \
    }

#define WRITE_RESULT                                            \
    EACH {                                                      \
        write_sum(AT(result, 0, i), AT(state, 0, i), &a[i]);    \
        write_sum(AT(result, 1, i), AT(state, 1, i), &b[i]);    \
        write_sum(AT(result, 2, i), AT(state, 2, i), &c[i]);    \
        write_sum(AT(result, 3, i), AT(state, 3, i), &d[i]);    \
    }

// The initial chaining value of both algorithms (RFC 1320 and RFC 1321 section 3.3), for first blocks. The compiler
// folds the operations on it.
#define INITIAL_A 0x67452301u
#define INITIAL_B 0xefcdab89u
#define INITIAL_C 0x98badcfeu
#define INITIAL_D 0x10325476u

#define START_ANEW                                                             \
    (void)state;                                                               \
    vector a[KERNEL_DEPTH], b[KERNEL_DEPTH], c[KERNEL_DEPTH], d[KERNEL_DEPTH]; \
    EACH {                                                                     \
        const vector zero = ZERO;                                              \
        a[i] = zero + INITIAL_A;                                               \
        b[i] = zero + INITIAL_B;                                               \
        c[i] = zero + INITIAL_C;                                               \
        d[i] = zero + INITIAL_D;                                               \
    }

#define WRITE_FIRST_RESULT                                      \
    EACH {                                                      \
        write_sum_of_word(AT(result, 0, i), INITIAL_A, &a[i]);  \
        write_sum_of_word(AT(result, 1, i), INITIAL_B, &b[i]);  \
        write_sum_of_word(AT(result, 2, i), INITIAL_C, &c[i]);  \
        write_sum_of_word(AT(result, 3, i), INITIAL_D, &d[i]);  \
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

// A block in which all words differ between lanes.
#define WORDS_FROM(lane) (words + (lane))
#define ADD_WORD(sum, k, constant) ADD_OWN_WORD(sum, k, constant, 0)
#define AFTER_ROTATION(b)
#define AFTER_STEP

DEFINE_GROUP(md4) {
    READ_STATE
#include "md4_steps.h"
    WRITE_RESULT
}
DEFINE_COMPRESSION(md4)

// The only block of a short text: 32 bytes of text and end bit, and the length. All other words are zero.
#undef ADD_WORD
#define ADD_WORD(sum, k, constant)                                            \
    if ((k) < SALLYPORT_TEXT_WORDS || (k) == 14) ADD_OWN_WORD(sum, k, constant, 0) \
    else (sum) += (uint32_t)(constant);
DEFINE_GROUP(md4_text) {
    START_ANEW
#include "md4_steps.h"
    WRITE_FIRST_RESULT
}
DEFINE_COMPRESSION(md4_text)
#undef ADD_WORD
#define ADD_WORD(sum, k, constant) ADD_OWN_WORD(sum, k, constant, 0)

// MD5 also adds the result of the previous step.
#undef AFTER_ROTATION
#define AFTER_ROTATION(b) (b) +

DEFINE_GROUP(md5) {
    READ_STATE
#include "md5_steps.h"
    WRITE_RESULT
}
DEFINE_COMPRESSION(md5)

// A block that is the same in all lanes: `words` has the sum of word and constant for each step.
#undef WORDS_FROM
#undef ADD_WORD
#undef AFTER_STEP
#define WORDS_FROM(lane) words
#define ADD_WORD(sum, k, constant) (sum) += *words;
#define AFTER_STEP words++;
DEFINE_GROUP(md5_shared) {
    READ_STATE
#include "md5_steps.h"
    WRITE_RESULT
}
DEFINE_COMPRESSION(md5_shared)

// Blocks of HMAC, in which only the first four words differ between lanes. The other words are folded into the
// constants of the steps.
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
    START_ANEW
#include "md5_steps.h"
    WRITE_FIRST_RESULT
}
DEFINE_COMPRESSION(md5_inner_key)

#undef OWN_PAD
#undef FIXED_WORD
#define OWN_PAD 0x5c5c5c5cu
#define FIXED_WORD(k) 0x5c5c5c5cu
DEFINE_GROUP(md5_outer_key) {
    START_ANEW
#include "md5_steps.h"
    WRITE_FIRST_RESULT
}
DEFINE_COMPRESSION(md5_outer_key)

// A digest that follows one block, and the padding of that message.
#undef OWN_PAD
#undef FIXED_WORD
#define OWN_PAD 0
#define FIXED_WORD(k) ((k) == 4 ? 0x80u : (k) == 14 ? 8u * (SALLYPORT_DIGEST_BLOCK + 16) : 0u)
DEFINE_GROUP(md5_digest) {
    READ_STATE
#include "md5_steps.h"
    WRITE_RESULT
}
DEFINE_COMPRESSION(md5_digest)

#include "kernel_transpose.h"

const struct lanes_kernel KERNEL_SYMBOL = {
    load, gather, widen, store, md4, md4_text, md5, md5_shared, md5_inner_key, md5_outer_key, md5_digest,
};
