#include "CDigestLanes.h"
#include "words.h"

/// The number of interleaved keys.
#define TURNS 2

/// A permutation in words. Bytes would save three quarters of the memory, but partial registers cost more.
typedef uint32_t permutation_words[SALLYPORT_RC4_PERMUTATION];

#define UNROLLED _Pragma("clang loop unroll(full)")
#define EACH(lane) UNROLLED for (size_t lane = 0; lane < lanes; lane++)

void sallyport_rc4_schedule(uint8_t *permutation, const uint8_t *key, size_t count) {
    for (int i = 0; i < SALLYPORT_RC4_PERMUTATION; i++) permutation[i] = (uint8_t)i;
    uint8_t j = 0;
    size_t k = 0;
    for (int i = 0; i < SALLYPORT_RC4_PERMUTATION; i++) {
        const uint8_t at_i = permutation[i];
        j = (uint8_t)(j + at_i + key[k]);
        permutation[i] = permutation[j];
        permutation[j] = at_i;
        k = k + 1 == count ? 0 : k + 1;
    }
}

void sallyport_rc4_apply(uint8_t *permutation, uint8_t positions[2], uint8_t *text, size_t count) {
    uint8_t i = positions[0], j = positions[1];
    for (size_t n = 0; n < count; n++) {
        i = (uint8_t)(i + 1);
        const uint8_t at_i = permutation[i];
        j = (uint8_t)(j + at_i);
        const uint8_t at_j = permutation[j];
        permutation[i] = at_j;
        permutation[j] = at_i;
        text[n] ^= permutation[(uint8_t)(at_i + at_j)];
    }
    positions[0] = i;
    positions[1] = j;
}

/// Makes permutations from keys of 16 bytes.
///
/// A processor loads the next element speculatively and restarts if the swap before wrote to it. Therefore the next
/// element is loaded before the swap and corrected by a conditional move.
static inline __attribute__((always_inline)) void schedule(
    permutation_words *permutations, const uint8_t *keys, size_t lanes
) {
    uint32_t j[TURNS], at_i[TURNS];
    EACH(lane) {
        for (uint32_t i = 0; i < SALLYPORT_RC4_PERMUTATION; i++) permutations[lane][i] = i;
        j[lane] = 0;
        at_i[lane] = 0;
    }
    for (uint32_t i = 0; i < SALLYPORT_RC4_PERMUTATION; i += SALLYPORT_RC4_EXCHANGE) {
        UNROLLED for (uint32_t k = 0; k < SALLYPORT_RC4_EXCHANGE; k++) {
            EACH(lane) {
                uint32_t *permutation = permutations[lane];
                const uint32_t next_i = (i + k + 1) % SALLYPORT_RC4_PERMUTATION;
                const uint32_t next = permutation[next_i];
                j[lane] = (uint8_t)(j[lane] + at_i[lane] + keys[lane * SALLYPORT_RC4_EXCHANGE + k]);
                permutation[i + k] = permutation[j[lane]];
                permutation[j[lane]] = at_i[lane];
                at_i[lane] = j[lane] == next_i ? at_i[lane] : next;
            }
        }
    }
}

/// XORs the first bytes of a keystream into `text`.
static inline __attribute__((always_inline)) void apply_start(uint32_t *permutation, uint8_t *text) {
    uint32_t j = 0;
    for (uint32_t i = 1; i <= SALLYPORT_RC4_EXCHANGE; i++) {
        const uint32_t at_i = permutation[i];
        j = (uint8_t)(j + at_i);
        const uint32_t at_j = permutation[j];
        permutation[i] = at_j;
        permutation[j] = at_i;
        text[i - 1] ^= (uint8_t)permutation[(uint8_t)(at_i + at_j)];
    }
}

/// Interleaves `lanes` keys. Inlined with a constant for one key and for several, so that the loops over lanes are
/// unrolled.
static inline __attribute__((always_inline)) void exchange(uint8_t *texts, const uint8_t *keys, size_t lanes) {
    permutation_words permutations[TURNS];
    schedule(permutations, keys, lanes);
    EACH(lane) apply_start(permutations[lane], texts + lane * SALLYPORT_RC4_EXCHANGE);
    sallyport_digest_erase(permutations, lanes * sizeof *permutations);
}

void sallyport_rc4_exchange(uint8_t *texts, const uint8_t *keys, size_t count) {
    size_t done = 0;
    for (; done + TURNS <= count; done += TURNS) {
        exchange(texts + done * SALLYPORT_RC4_EXCHANGE, keys + done * SALLYPORT_RC4_EXCHANGE, TURNS);
    }
    for (; done < count; done++) {
        exchange(texts + done * SALLYPORT_RC4_EXCHANGE, keys + done * SALLYPORT_RC4_EXCHANGE, 1);
    }
}

/// A step of MD5, together with its share of the key schedule.
#define STEP(add, a, b, c, d, k, constant, bits)                                                                      \
    (a) = (b) + rotate_left(add(ready((a) + load_word(blocks + 4 * (k)) + (constant)), (b), (c), (d)), (bits));       \
    UNROLLED for (int turn = 0; turn < SALLYPORT_RC4_PERMUTATION / SALLYPORT_RC4_BESIDE / SALLYPORT_MD5_STEPS; turn++) { \
        j = (uint8_t)(j + permutation[i] + key[step % SALLYPORT_RC4_EXCHANGE]);                                       \
        const uint32_t at_i = permutation[i];                                                                         \
        permutation[i] = permutation[j];                                                                              \
        permutation[j] = at_i;                                                                                        \
        i++;                                                                                                          \
        step++;                                                                                                       \
    }

void sallyport_rc4_exchange_beside(uint8_t *text, const uint8_t *key, uint32_t state[4], const uint8_t *blocks) {
    permutation_words permutation;
    for (uint32_t n = 0; n < SALLYPORT_RC4_PERMUTATION; n++) permutation[n] = n;
    uint32_t i = 0, j = 0;
    for (int block = 0; block < SALLYPORT_RC4_BESIDE; block++, blocks += SALLYPORT_DIGEST_BLOCK) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        // A constant for the compiler in each step.
        int step = 0;

#include "md5_steps.h"

        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
    apply_start(permutation, text);
    sallyport_digest_erase(permutation, sizeof permutation);
}
