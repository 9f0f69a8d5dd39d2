/// RC4, which NTLM uses to exchange session keys and to seal messages.

#ifndef SALLYPORT_RC4_H
#define SALLYPORT_RC4_H

#include <stddef.h>
#include <stdint.h>

/// Bytes in a permutation.
#define SALLYPORT_RC4_PERMUTATION 256

/// Bytes in a key, and in a text, of `sallyport_rc4_exchange`.
#define SALLYPORT_RC4_EXCHANGE 16

/// Makes a permutation of 256 bytes from a key of `count` bytes, 1 to 256.
void sallyport_rc4_schedule(uint8_t *permutation, const uint8_t *key, size_t count);

/// XORs the next `count` bytes of the keystream into `text`; `positions` holds i and j, both 0 at the start.
void sallyport_rc4_apply(uint8_t *permutation, uint8_t positions[2], uint8_t *text, size_t count);

/// XORs the first 16 bytes of the keystream of each key into the text with the same index: `count` keys and `count`
/// texts of 16 bytes, both end to end.
///
/// Each step of a key schedule waits for the memory that the previous step wrote, so two keys are interleaved. The
/// permutations are erased.
void sallyport_rc4_exchange(uint8_t *texts, const uint8_t *keys, size_t count);

/// The number of MD5 blocks that are compressed during one exchange.
#define SALLYPORT_RC4_BESIDE 2

/// Exchanges one key and one text, and compresses that many consecutive blocks of 64 bytes into an MD5 state at the
/// same time. The two are independent, so both take little longer than the exchange.
void sallyport_rc4_exchange_beside(uint8_t *text, const uint8_t *key, uint32_t state[4], const uint8_t *blocks);

#endif
