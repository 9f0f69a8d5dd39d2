/// Compression functions of MD4 (RFC 1320) and MD5 (RFC 1321).
///
/// Both algorithms are broken as hash functions; NTLM and HTTP Digest prescribe them all the same. Only the compression
/// of whole blocks stands here: padding, lengths and key handling belong to the caller.
///
/// One lane for now. Kernels that compress several independent messages side by side come behind this same header.

#ifndef SALLYPORT_CDIGESTLANES_H
#define SALLYPORT_CDIGESTLANES_H

#include <stddef.h>
#include <stdint.h>

/// Bytes in one block of either algorithm.
#define SALLYPORT_DIGEST_BLOCK 64

/// Compresses `count` consecutive 64-byte blocks into `state`, which holds A, B, C, D in the order of RFC 1320.
/// `blocks` needs no alignment and may be null when `count` is 0.
void sallyport_md4_compress(uint32_t state[4], const uint8_t *blocks, size_t count);

/// Compresses `count` consecutive 64-byte blocks into `state`, which holds A, B, C, D in the order of RFC 1321.
/// `blocks` needs no alignment and may be null when `count` is 0.
void sallyport_md5_compress(uint32_t state[4], const uint8_t *blocks, size_t count);

/// Overwrites `count` bytes with zero in a way that the optimiser keeps: for chaining values and pending blocks, which
/// live on the stack and may hold a password.
void sallyport_digest_erase(void *memory, size_t count);

#endif
