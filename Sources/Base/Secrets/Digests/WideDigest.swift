internal import CDigestLanes

/// The digests of SHA-2 with 64-bit words (FIPS 180-4), for certificates whose signatures use them.
package enum WideDigest {
    /// The SHA-384 digest of `message`: 48 bytes.
    ///
    /// - Complexity: O(*n*); one allocation, for the digest.
    package static func sha384(_ message: Span<UInt8>) -> [UInt8] {
        unsafe digest(of: message, count: Int(SALLYPORT_SHA384_BYTES), by: sallyport_sha384)
    }

    /// The SHA-512 digest of `message`: 64 bytes.
    ///
    /// - Complexity: O(*n*); one allocation, for the digest.
    package static func sha512(_ message: Span<UInt8>) -> [UInt8] {
        unsafe digest(of: message, count: Int(SALLYPORT_SHA512_BYTES), by: sallyport_sha512)
    }

    private static func digest(
        of message: Span<UInt8>,
        count: Int,
        by hash: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?) -> Void
    ) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { digest, initialized in
            unsafe message.withUnsafeBufferPointer { bytes in
                // In bounds: the buffer has `count` bytes, which is what `hash` writes, and the count is that of the message.
                unsafe hash(bytes.baseAddress, bytes.count, digest.baseAddress)
            }
            initialized = count
        }
    }
}
