/// MD4 (RFC 1320), a broken hash function that NTLM prescribes for passwords.
///
/// A value is for one message; after `finalize()` it is of no further use.
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

    /// Ends the message, erases what is left of it here, and returns its digest.
    package mutating func finalize() -> Digest16 {
        hash.finalize()
    }

    /// Returns the digest of `bytes` alone.
    package static func hash(_ bytes: Span<UInt8>) -> Digest16 {
        Compression.md4.digest(of: bytes)
    }
}

extension MD4: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    package var description: String { "<MD4>" }

    /// No children: the pending block may hold a password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
