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
    /// - Complexity: O(*n*); three allocations, of which one is gone on return.
    public init(password: String) throws(NTLMKeyError) {
        let units = password.utf16.count
        guard units <= NTLMLimits.passwordUnits else {
            throw .passwordTooLong(units: units, limit: NTLMLimits.passwordUnits)
        }
        var bytes = UTF16Text.bytes(password)
        self.init(digest: MD4.hash(bytes.span))
        erase(&bytes)
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
