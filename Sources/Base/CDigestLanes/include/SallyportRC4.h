/// RC4, under which NTLM exchanges session keys and seals messages.

#ifndef SALLYPORT_RC4_H
#define SALLYPORT_RC4_H

#include <stddef.h>
#include <stdint.h>

/// Bytes in a permutation.
#define SALLYPORT_RC4_PERMUTATION 256

/// Bytes in a key, and in a text, of `sallyport_rc4_exchange`.
#define SALLYPORT_RC4_EXCHANGE 16

/// Sets a permutation of 256 bytes up from a key of `count` bytes, 1 to 256.
void sallyport_rc4_schedule(uint8_t *permutation, const uint8_t *key, size_t count);

/// XORs the next `count` bytes of the keystream into `text`; `positions` holds i and j, both 0 at the start.
void sallyport_rc4_apply(uint8_t *permutation, uint8_t positions[2], uint8_t *text, size_t count);

/// XORs the first 16 bytes of each key's keystream into the text of the same number: `count` keys of 16 bytes and `count`
/// texts of 16 bytes, each end to end.
///
/// Every step of one key's schedule waits for the memory that the step before wrote, so two keys take turns. The
/// permutations are erased.
void sallyport_rc4_exchange(uint8_t *texts, const uint8_t *keys, size_t count);

/// Blocks of MD5 that fit beside one exchange.
#define SALLYPORT_RC4_BESIDE 2

/// Does the same for one key and one text, and compresses that many blocks of 64 bytes, end to end, into an MD5 state
/// meanwhile: neither waits for the other, so both take little longer than the exchange.
void sallyport_rc4_exchange_beside(uint8_t *text, const uint8_t *key, uint32_t state[4], const uint8_t *blocks);

#endif
