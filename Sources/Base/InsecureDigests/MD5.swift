/// MD5 (RFC 1321), a broken hash function that NTLM requires in HMAC and for channel bindings.
///
/// Use a value for one message, and do not use it after `finalize()`.
package struct MD5: Sendable {
    private var hash: BlockHash

    /// Starts a message.
    package init() {
        hash = BlockHash(.md5)
    }

    /// Continues from the chaining value after one 64-byte block.
    init(afterOneBlock state: SIMD4<UInt32>) {
        hash = BlockHash(.md5, state: state, blocksBefore: 1)
    }

    /// Appends `bytes` to the message.
    ///
    /// - Complexity: O(*n*); no allocation.
    package mutating func update(_ bytes: Span<UInt8>) {
        hash.update(bytes)
    }

    /// Ends the message, erases the state and returns the digest.
    package mutating func finalize() -> Digest16 {
        hash.finalize()
    }

    /// Ends the message, erases the state and returns the last chaining value.
    mutating func finish() -> SIMD4<UInt32> { hash.finish() }

    /// Erases a value that is not finalized.
    mutating func erase() { hash.erase() }

    /// Returns the digest of `bytes`.
    package static func hash(_ bytes: Span<UInt8>) -> Digest16 {
        Compression.md5.digest(of: bytes)
    }
}

extension MD5: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<MD5>" }

    /// Has no children, because the pending block may contain a password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
