/// SHA-256 (FIPS 180-4) of whole messages, one or many in parallel, and SHA-384, SHA-512 and SHA-512/256 of one message.
///
/// It is in one target with MD4 and MD5, because it uses the same detection of instructions and the same transposition.
/// Unlike them it is not broken. Messages are public (keys in certificates), so nothing is erased, except by the functions
/// that say so.

#ifndef SALLYPORT_CSHA256_H
#define SALLYPORT_CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// Bytes in a digest.
#define SALLYPORT_SHA256_BYTES 32
#define SALLYPORT_SHA384_BYTES 48
#define SALLYPORT_SHA512_BYTES 64

/// The kernels, from slow to fast for many messages.
enum sallyport_sha256_kernel {
    /// Plain words, one message at a time.
    SALLYPORT_SHA256_PORTABLE = 0,
    /// Eight messages in parallel in vectors of 256 bits.
    SALLYPORT_SHA256_AVX2,
    /// The SHA-256 instructions of the processor (SHA-NI or ARMv8), two messages interleaved.
    SALLYPORT_SHA256_EXTENSIONS,
    /// 16 messages in parallel in vectors of 512 bits.
    SALLYPORT_SHA256_AVX512,
};

/// The number of kernels.
#define SALLYPORT_SHA256_KERNELS 4

/// Whether this machine can run `kernel`. Pass only such kernels to the functions below.
int sallyport_sha256_runs_here(enum sallyport_sha256_kernel kernel);

/// The fastest kernel of this machine for many messages. Any thread may call it.
enum sallyport_sha256_kernel sallyport_sha256_best_for_many(void);

/// The fastest kernel of this machine for one message. Kernels of lanes need many messages, SHA instructions do not.
enum sallyport_sha256_kernel sallyport_sha256_best_for_one(void);

/// Writes the digest of the `length` bytes at `message`, which needs no alignment and may be null when `length` is 0.
/// A kernel of lanes passes a single message to the fastest kernel for one.
void sallyport_sha256(
    enum sallyport_sha256_kernel kernel, const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]
);

/// The same by the fastest kernel for one message. Erases its copies of the message and the chaining value.
void sallyport_sha256_of_secret(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]);

/// Writes the SHA-512 digest of the `length` bytes at `message`, which may be null when `length` is 0. Erases its copies of
/// the message and the chaining value.
void sallyport_sha512(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA512_BYTES]);

/// The same for SHA-384.
void sallyport_sha384(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA384_BYTES]);

/// Writes the SHA-512/256 digest of the `length` bytes at `message`, which may be null when `length` is 0. Erases its copies
/// of the message and the chaining value.
void sallyport_sha512_256(const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]);

/// The range of a message: its first byte, and the byte after its last.
struct sallyport_message {
    size_t start;
    size_t end;
};

/// Writes the digests of `count` messages in `bytes`, one after the other. Messages may overlap and have any lengths.
/// All bytes up to the largest `end` must be readable; no other byte is read.
void sallyport_sha256_many(
    enum sallyport_sha256_kernel kernel, const uint8_t *bytes, const struct sallyport_message *messages, size_t count,
    uint8_t *digests
);

#endif
