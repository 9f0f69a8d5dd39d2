internal import InsecureDigests
internal import Secrets

/// The MD4 hash of a password (`NTOWFv1`, MS-NLMP 3.3.1): all that NTLM needs of it.
///
/// It is as good as the password to whoever steals it. It lives in one block that is erased with its last owner, and
/// shows nothing when printed.
public struct NTHash: Sendable {
    private let secret: SharedSecret

    /// How many bytes a hash has.
    public static let byteCount = 16

    /// Hashes a password: MD4 over its UTF-16LE form.
    ///
    /// The converted password is erased before this returns; the `String` itself is out of reach.
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

    /// Hashes a password for the length of a call: nothing is kept, and nothing allocated.
    ///
    /// - Parameters:
    ///   - password: what to hash.
    ///   - body: called with the 16 bytes, which must not be copied out of it.
    /// - Throws: `passwordTooLong` above 256 UTF-16 units.
    /// - Complexity: O(*n*); no allocation.
    public static func withHash<Result>(
        of password: String,
        _ body: (Span<UInt8>) -> Result
    ) throws(NTLMKeyError) -> Result {
        try digest(of: password).withBytes(body)
    }

    /// Takes over a digest without an array in between, which nobody would erase.
    init(digest: Digest16) {
        secret = digest.withBytes { SharedSecret(SecretBytes(copying: $0)) }
    }

    /// Takes a hash that somebody computed before.
    ///
    /// - Throws: `wrongLength` unless `hash` has exactly 16 bytes.
    public init(hash: Span<UInt8>) throws(NTLMKeyError) {
        guard hash.count == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, found: hash.count)
        }
        secret = SharedSecret(SecretBytes(copying: hash))
    }

    /// Calls `body` with the 16 bytes; they must not be copied out of it.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }
}

extension NTHash: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    public var description: String { "<NT hash>" }

    /// No children, so that nothing shows the hash.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
