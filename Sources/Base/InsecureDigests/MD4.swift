/// MD4 (RFC 1320), a broken hash function that NTLM requires for passwords.
///
/// Use a value for one message, and do not use it after `finalize()`.
package struct MD4: Sendable {
    private var hash: BlockHash

    /// Starts a message.
    package init() {
        hash = BlockHash(.md4)
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

    /// Returns the digest of `bytes`.
    package static func hash(_ bytes: Span<UInt8>) -> Digest16 {
        Compression.md4.digest(of: bytes)
    }
}

extension MD4: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    package var description: String { "<MD4>" }

    /// Has no children, because the pending block may contain a password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
