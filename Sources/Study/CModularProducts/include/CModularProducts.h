/// Sums, differences and products modulo one odd number of many words.
///
/// The tests of a modulus take millions of products. Debug builds of Swift spend a hundred nanoseconds on each product of two
/// words, so an audit would take minutes a key there; this takes two to four in any build.

#ifndef SALLYPORT_CMODULARPRODUCTS_H
#define SALLYPORT_CMODULARPRODUCTS_H

#include <stddef.h>
#include <stdint.h>

/// Writes a · b / 2^(64 · count) modulo `modulus` (Montgomery 1985).
///
/// All numbers have `count` words, at least one, the least significant first, and are below `modulus`, which is odd;
/// `inverse` is -1 / modulus modulo 2^64. `result` may be `a` or `b`. `scratch` has count + 1 words and overlaps nothing.
void sallyport_modular_product(
    uint64_t *result, const uint64_t *a, const uint64_t *b, const uint64_t *modulus, uint64_t inverse, size_t count,
    uint64_t *scratch
);

#endif
