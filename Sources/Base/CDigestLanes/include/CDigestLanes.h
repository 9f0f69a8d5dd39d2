/// Compression functions of MD4 (RFC 1320) and MD5 (RFC 1321).
///
/// Both algorithms are broken as hash functions, but NTLM and HTTP Digest require them. The functions compress whole
/// blocks; the caller handles padding, lengths and keys.
///
/// They process one message, or up to 64 independent messages in parallel, because the steps of one message depend on
/// each other.

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

/// Compresses `count` consecutive blocks into each of two states. The steps are interleaved, so both take little longer
/// than one.
void sallyport_md5_compress_pair(
    uint32_t first[4], const uint8_t *first_blocks, uint32_t second[4], const uint8_t *second_blocks, size_t count
);

/// The number of lanes of a tile.
#define SALLYPORT_LANES 64

/// A tile is 64 messages. Its chaining values are 4 rows of 64 words; a block of all messages is 16 rows of 64 words.
/// Column n is message n, so the same word of adjacent messages forms a vector:
///
///   state   A0 A1 … A63       words   word 0 of message 0, 1, … 63
///           B0 B1 … B63               word 1 of message 0, 1, … 63
///           C0 C1 … C63               …
///           D0 D1 … D63               word 15 of message 0, 1, … 63
///
/// Both fit into the L1 cache (1 and 4 KiB). `lanes` is the number of used columns, from column 0 on. A kernel rounds
/// it up to its width; the contents of the other columns are undefined.

/// The kernels, from narrow to wide.
enum sallyport_kernel {
    /// Plain words, two lanes interleaved.
    SALLYPORT_KERNEL_PORTABLE = 0,
    /// SSE2 or NEON.
    SALLYPORT_KERNEL_VECTOR128,
    SALLYPORT_KERNEL_AVX2,
    SALLYPORT_KERNEL_AVX512,
};

/// The number of kernels.
#define SALLYPORT_KERNELS 4

/// Whether this machine can run `kernel`. Pass only such kernels to the functions below.
int sallyport_kernel_runs_here(enum sallyport_kernel kernel);

/// The widest kernel that this machine can run. Takes a few loads; has no state, so any thread may call it.
enum sallyport_kernel sallyport_kernel_best(void);

/// Sets the chaining values of all 64 lanes to `initial`.
void sallyport_lanes_start(uint32_t *state, const uint32_t initial[4]);

/// Transposes `lanes` rows of bytes into columns: bytes 0 to `length` - 1 of a row become the first words of its lane.
/// `length` is at most 64. Words are written in groups of four; the last group is filled with zeros.
///
/// Rows start `stride` bytes apart. `readable` bytes may be read from `rows` on, at least up to the end of the last row.
/// For a chaining value, `length` is 16 and `words` the state.
void sallyport_lanes_load(
    enum sallyport_kernel kernel, uint32_t *words, const uint8_t *rows, size_t stride, size_t readable, size_t lanes,
    size_t length
);

/// Transposes whole blocks of 64 bytes into columns: `rows[n]` is the address of the block of lane n.
void sallyport_lanes_gather(
    enum sallyport_kernel kernel, uint32_t *words, const uint8_t *const *rows, size_t lanes
);

/// Writes the end bit after `length` bytes of each lane, and zeros after it. `length` is less than 64.
void sallyport_lanes_pad(uint32_t *words, size_t length);

/// Writes the length of the whole message, the same in every lane, into the last two words.
void sallyport_lanes_close(uint32_t *words, uint64_t bit_count);

/// Compresses one block into each lane's chaining value with MD4.
void sallyport_md4_compress_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *words, size_t lanes
);

/// Bytes of a row that holds a short text.
#define SALLYPORT_TEXT_ROW 16

/// Sets the chaining value of each lane to the MD4 of a short text in UTF-16LE.
///
/// A row of `rows` is 16 bytes: a text of ASCII, less than 16 characters, then 0x80, then zeros. Row 14 of `words`, where
/// a block has its length, holds 16 for each character of the lane's text; other rows are written here.
void sallyport_md4_texts(
    enum sallyport_kernel kernel, uint32_t *state, uint32_t *words, const uint8_t *rows, size_t lanes
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

/// Uses the chaining value of each lane as a key of 16 bytes and computes the chaining values after its padded blocks
/// (RFC 2104 section 2): of the inner pad in place, of the outer pad in `outer`.
void sallyport_md5_start_hmac_lanes(
    enum sallyport_kernel kernel, uint32_t *state, uint32_t *outer, size_t lanes
);

/// Uses the chaining value of each lane as the inner digest and replaces it by the code.
void sallyport_md5_end_hmac_lanes(
    enum sallyport_kernel kernel, uint32_t *state, const uint32_t *outer, size_t lanes
);

/// Transposes columns back into rows: writes the chaining value of each lane, a digest of 16 bytes, `stride` bytes
/// apart.
void sallyport_lanes_store(
    enum sallyport_kernel kernel, uint8_t *rows, size_t stride, const uint32_t *state, size_t lanes
);

/// Overwrites `count` bytes with zeros, which the optimiser does not remove. For chaining values and pending blocks on
/// the stack, which may contain a password.
void sallyport_digest_erase(void *memory, size_t count);

#endif
