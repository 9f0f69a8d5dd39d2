/// What MD4 and MD5 share: little-endian words and rotation.

#ifndef SALLYPORT_WORDS_H
#define SALLYPORT_WORDS_H

#include <stdint.h>

/// Reads a little-endian word at any alignment; compilers turn it into one load where possible.
static inline uint32_t load_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/// Rotates `word` left by `bits`, 1 to 31.
static inline uint32_t rotate_left(uint32_t word, unsigned bits) {
    return word << bits | word >> (32 - bits);
}

/// Keeps the compiler from reordering additions to `sum`, because adding three values in one instruction is slower if
/// the last one is late.
static inline uint32_t ready(uint32_t sum) {
    __asm__("" : "+r"(sum));
    return sum;
}

#endif
