internal import CDigestLanes

/// A SHA-2 digest of 32 bytes of a message that is secret, such as a password.
///
/// The hash function erases its copies of the message. The owner erases the digest, with ``erase()``. The type has no `==` and
/// prints nothing.
package struct SecretDigest: ~Copyable {
    private var words = SIMD4<UInt64>()

    /// The SHA-256 digest of `message` (FIPS 180-4 section 6.2).
    ///
    /// - Complexity: O(*n*); no allocation.
    package init(sha256Of message: Span<UInt8>) {
        unsafe fill(message, with: sallyport_sha256_of_secret)
    }

    /// The SHA-512/256 digest of `message` (FIPS 180-4 section 6.7).
    ///
    /// - Complexity: O(*n*); no allocation.
    package init(sha512t256Of message: Span<UInt8>) {
        unsafe fill(message, with: sallyport_sha512_256)
    }

    /// Calls `body` with the 32 bytes. Not generic, because a generic call from another module is slow.
    package borrowing func withBytes(_ body: (Span<UInt8>) -> Void) {
        // In bounds: the bytes of the vector, which is not written during the call.
        unsafe withUnsafeBytes(of: words) { bytes in
            body(unsafe Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
        }
    }

    /// Overwrites the digest with zeros, which the optimiser does not remove.
    package mutating func erase() {
        // In bounds: the bytes of the vector.
        unsafe withUnsafeMutableBytes(of: &words) { bytes in
            unsafe sallyport_digest_erase(bytes.baseAddress, bytes.count)
        }
    }

    private mutating func fill(
        _ message: Span<UInt8>,
        with hash: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?) -> Void
    ) {
        unsafe message.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeMutableBytes(of: &words) { digest in
                // In bounds: the vector has 32 bytes, and the count is that of the message.
                guard let digest = unsafe digest.bindMemory(to: UInt8.self).baseAddress else { return }
                unsafe hash(bytes.baseAddress, bytes.count, digest)
            }
        }
    }
}
