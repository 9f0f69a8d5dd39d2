/// MD5 (RFC 1321), a broken hash function that NTLM prescribes inside HMAC and for channel bindings.
///
/// A value is for one message; after `finalize()` it is of no further use.
package struct MD5: Sendable {
    private var hash: BlockHash

    /// Starts a message.
    package init() {
        hash = BlockHash(.md5)
    }

    /// Goes on from the chaining value that one 64-byte block led to.
    init(afterOneBlock state: SIMD4<UInt32>) {
        hash = BlockHash(.md5, state: state, blocksBefore: 1)
    }

    /// Appends `bytes` to the message.
    ///
    /// - Complexity: O(*n*); no allocation.
    package mutating func update(_ bytes: Span<UInt8>) {
        hash.update(bytes)
    }

    /// Ends the message, erases what is left of it here, and returns its digest.
    package mutating func finalize() -> Digest16 {
        hash.finalize()
    }

    /// Ends the message, erases what is left of it here, and returns the last chaining value.
    mutating func finish() -> SIMD4<UInt32> { hash.finish() }

    /// Overwrites a value that is not finalized.
    mutating func erase() { hash.erase() }

    /// Returns the digest of `bytes` alone.
    package static func hash(_ bytes: Span<UInt8>) -> Digest16 {
        Compression.md5.digest(of: bytes)
    }
}

extension MD5: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    package var description: String { "<MD5>" }

    /// No children: the pending block may hold a password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
