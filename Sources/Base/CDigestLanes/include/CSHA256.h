/// SHA-256 (FIPS 180-4) of whole messages: one, or many side by side.
///
/// It stands beside MD4 and MD5 because it is computed the same way, by the widest instructions at hand; unlike them it
/// is not broken. Messages are public here (keys in certificates), so nothing is erased.

#ifndef SALLYPORT_CSHA256_H
#define SALLYPORT_CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// Bytes in a digest.
#define SALLYPORT_SHA256_BYTES 32

/// The ways of computing digests, from slow to fast when there are many messages.
enum sallyport_sha256_kernel {
    /// Plain words, one message at a time.
    SALLYPORT_SHA256_PORTABLE = 0,
    /// Eight messages side by side in vectors of 256 bits.
    SALLYPORT_SHA256_AVX2,
    /// The processor's own SHA-256 instructions (SHA-NI, or those of ARMv8), two messages in turns.
    SALLYPORT_SHA256_EXTENSIONS,
    /// Sixteen messages side by side in vectors of 512 bits.
    SALLYPORT_SHA256_AVX512,
};

/// How many kernels there are.
#define SALLYPORT_SHA256_KERNELS 4

/// Whether this machine can run `kernel`. The functions below may be called with no other.
int sallyport_sha256_runs_here(enum sallyport_sha256_kernel kernel);

/// The kernel that is fastest here for many messages. Any thread may ask at any time.
enum sallyport_sha256_kernel sallyport_sha256_best_for_many(void);

/// The kernel that is fastest here for one message: lanes need many, the processor's own instructions do not.
enum sallyport_sha256_kernel sallyport_sha256_best_for_one(void);

/// Writes the digest of the `length` bytes at `message`, which needs no alignment and may be null when `length` is 0.
/// A kernel of lanes leaves a single message to the best kernel for one.
void sallyport_sha256(
    enum sallyport_sha256_kernel kernel, const uint8_t *message, size_t length, uint8_t digest[SALLYPORT_SHA256_BYTES]
);

/// Where a message stands: its first byte, and the one behind its last.
struct sallyport_message {
    size_t start;
    size_t end;
};

/// Writes `count` digests, one behind the other, of messages that stand in `bytes`; they may overlap and have any
/// lengths. Every byte up to the largest `end` must be readable, and no other is read.
void sallyport_sha256_many(
    enum sallyport_sha256_kernel kernel, const uint8_t *bytes, const struct sallyport_message *messages, size_t count,
    uint8_t *digests
);

#endif
