/// Compression functions of MD4 (RFC 1320) and MD5 (RFC 1321).
///
/// Both algorithms are broken as hash functions; NTLM and HTTP Digest prescribe them all the same. Only the compression
/// of whole blocks stands here: padding, lengths and key handling belong to the caller.
///
/// One message at a time, or up to 64 independent ones side by side: the steps of one message wait for each other, those
/// of several do not.

#ifndef SALLYPORT_CDIGESTLANES_H
#define SALLYPORT_CDIGESTLANES_H

#include "SallyportRC4.h"

#include <stddef.h>
#include <stdint.h>

#include "CSHA256.h"

/// Bytes in one block of either algorithm.
#define SALLYPORT_DIGEST_BLOCK 64

/// Compresses `count` consecutive 64-byte blocks into `state`, which holds A, B, C, D in the order of RFC 1320.
/// `blocks` needs no alignment and may be null when `count` is 0.
void sallyport_md4_compress(uint32_t state[4], const uint8_t *blocks, size_t count);

/// Compresses `count` consecutive 64-byte blocks into `state`, which holds A, B, C, D in the order of RFC 1321.
/// `blocks` needs no alignment and may be null when `count` is 0.
void sallyport_md5_compress(uint32_t state[4], const uint8_t *blocks, size_t count);

/// Compresses `count` consecutive blocks into each of two states: the steps of one fill the gaps between those of the
/// other, so that both take little longer than one.
void sallyport_md5_compress_pair(
    uint32_t first[4], const uint8_t *first_blocks, uint32_t second[4], const uint8_t *second_blocks, size_t count
);

/// Lanes that a tile holds.
#define SALLYPORT_LANES 64

/// A tile is 64 messages side by side. Its chaining values are 4 rows of 64 words, one of its blocks is 16 rows of 64
/// words; column n is message n, so that the same word of neighbouring messages is one vector:
///
///   state   A0 A1 … A63       words   word 0 of message 0, 1, … 63
///           B0 B1 … B63               word 1 of message 0, 1, … 63
///           C0 C1 … C63               …
///           D0 D1 … D63               word 15 of message 0, 1, … 63
///
/// Both live in L1 (1 and 4 KiB). `lanes` below says how many columns matter, from column 0 on; a kernel rounds up to
/// the columns that it does at once, and leaves nonsense in those beyond.

/// The ways of computing a tile, from narrow to wide.
enum sallyport_kernel {
    /// Plain words, two lanes in turns.
    SALLYPORT_KERNEL_PORTABLE = 0,
    /// SSE2 or NEON.
    SALLYPORT_KERNEL_VECTOR128,
    SALLYPORT_KERNEL_AVX2,
    SALLYPORT_KERNEL_AVX512,
};

/// How many kernels there are.
#define SALLYPORT_KERNELS 4

/// Whether this machine can run `kernel`. The functions below may be called with no other.
int sallyport_kernel_runs_here(enum sallyport_kernel kernel);

/// The widest kernel that this machine can run. Costs a few loads; no state, so any thread may ask at any time.
enum sallyport_kernel sallyport_kernel_best(void);

/// Sets the chaining values of all 64 lanes to `initial`.
void sallyport_lanes_start(uint32_t *state, const uint32_t initial[4]);

/// Turns `lanes` rows of bytes into columns: bytes 0 to `length` - 1 of each row become its lane's first words. Lengths
/// are at most 64; words are written four at a time, the bytes that fill up the last four as zeros.
///
/// Rows start `stride` bytes apart. `readable` bytes may be read from `rows` on, at least up to the end of the last row.
/// For a chaining value, `length` is 16 and `words` the state.
void sallyport_lanes_load(
    enum sallyport_kernel kernel, uint32_t *words, const uint8_t *rows, size_t stride, size_t readable, size_t lanes,
    size_t length
);

/// Turns whole blocks of 64 bytes into columns, wherever they stand: `rows[n]` is the block of lane n.
void sallyport_lanes_gather(
    enum sallyport_kernel kernel, uint32_t *words, const uint8_t *const *rows, size_t lanes
);

/// Puts the bit that ends a message behind `length` bytes of each lane, which is less than 64, and zeros behind it.
void sallyport_lanes_pad(uint32_t *words, size_t length);

/// Writes the length of the whole message, the same in every lane, into the last two words.
void sallyport_lanes_close(uint32_t *words, uint64_t bit_count);

/// Compresses one block into each lane's chaining value with MD4.
void sallyport_md4_compress_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *words, size_t lanes
);

/// Compresses one block into each lane's chaining value with MD5.
void sallyport_md5_compress_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *words, size_t lanes
);

/// Steps of MD5.
#define SALLYPORT_MD5_STEPS 64

/// Adds up, for each step of MD5, its constant and the word of `block` that it takes.
void sallyport_md5_add_constants(uint32_t sums[SALLYPORT_MD5_STEPS], const uint8_t block[SALLYPORT_DIGEST_BLOCK]);

/// Compresses one block, the same for all lanes, into each lane's chaining value with MD5.
void sallyport_md5_compress_shared_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *sums, size_t lanes
);

/// Blocks of HMAC-MD5 of which only the first four words are a lane's own; the rest need not be written out.
enum sallyport_hmac_block {
    /// A key of 16 bytes with the inner padding of RFC 2104 section 2.
    SALLYPORT_HMAC_INNER_KEY = 0,
    /// The same with the outer padding.
    SALLYPORT_HMAC_OUTER_KEY,
    /// A digest of 16 bytes, behind one block of key, and the end of the message.
    SALLYPORT_HMAC_DIGEST,
};

/// Compresses such a block into each lane's chaining value with MD5. Only the first four rows of `words` are read: keys
/// and digests as they are.
void sallyport_md5_compress_hmac_lanes(
    enum sallyport_kernel kernel, enum sallyport_hmac_block block, uint32_t *state, const uint32_t *words, size_t lanes
);

/// Turns columns back into rows: writes each lane's chaining value, the 16 bytes of a digest, `stride` bytes apart.
void sallyport_lanes_store(
    enum sallyport_kernel kernel, uint8_t *rows, size_t stride, const uint32_t *state, size_t lanes
);

/// Overwrites `count` bytes with zero in a way that the optimiser keeps: for chaining values and pending blocks, which
/// live on the stack and may hold a password.
void sallyport_digest_erase(void *memory, size_t count);

#endif
