internal import InsecureDigests
internal import Secrets

/// The MD4 hash of a password (`NTOWFv1`, MS-NLMP 3.3.1). NTLM needs the hash only, not the password.
///
/// An attacker can use the hash like the password. The hash has one block of memory, which is erased with its last
/// owner. Its description and its mirror do not show it.
public struct NTHash: Sendable {
    private let secret: SharedSecret

    /// Bytes in a hash.
    public static let byteCount = 16

    /// Hashes a password: MD4 over its UTF-16LE form.
    ///
    /// The converted password is erased before this returns. The memory of the `String` is not erased, because Swift
    /// gives no access to it.
    ///
    /// - Throws: `passwordTooLong` above 256 UTF-16 units.
    /// - Complexity: O(*n*); two allocations, for the erasable block.
    public init(password: String) throws(NTLMKeyError) {
        self.init(digest: try Self.digest(of: password))
    }

    private static func digest(of password: String) throws(NTLMKeyError) -> Digest16 {
        guard let digest = MD4.hash(utf16: password) else {
            throw .passwordTooLong(units: password.utf16.count, limit: NTLMLimits.passwordUnits)
        }
        return digest
    }

    /// Hashes a password for one call of `body`, without an allocation.
    ///
    /// - Parameters:
    ///   - password: the password.
    ///   - body: called with the 16 bytes; it must not copy them.
    /// - Throws: `passwordTooLong` above 256 UTF-16 units.
    /// - Complexity: O(*n*); no allocation.
    public static func withHash<Result>(
        of password: String,
        _ body: (Span<UInt8>) -> Result
    ) throws(NTLMKeyError) -> Result {
        try digest(of: password).withBytes(body)
    }

    /// Takes over a digest without a temporary array, because an array would not be erased.
    init(digest: Digest16) {
        secret = digest.withBytes { SharedSecret(SecretBytes(copying: $0)) }
    }

    /// Takes the 16 bytes of a hash.
    ///
    /// - Throws: `wrongLength` unless `hash` has exactly 16 bytes.
    public init(hash: Span<UInt8>) throws(NTLMKeyError) {
        guard hash.count == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, found: hash.count)
        }
        secret = SharedSecret(SecretBytes(copying: hash))
    }

    /// Calls `body` with the 16 bytes; it must not copy them.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }
}

extension NTHash: CustomStringConvertible, CustomReflectable {
    /// A fixed text, so that a log does not show the hash.
    public var description: String { "<NT hash>" }

    /// A mirror without children, so that a dump does not show the hash.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
