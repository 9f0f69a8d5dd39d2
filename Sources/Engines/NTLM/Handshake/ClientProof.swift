internal import Secrets

/// What an AUTHENTICATE proves its password by, for a judge that alone knows the account's hash, such as a domain controller.
///
/// It is as good as a password hash to those who guess offline, so its description does not show it.
public struct ClientProof: Sendable {
    /// The user as the client spelled it.
    public let user: String
    /// The domain as the client spelled it; empty if it sent none.
    public let domain: String
    /// The eight bytes of the CHALLENGE that the client answers.
    public let serverChallenge: [UInt8]
    /// The NTLMv2 response (MS-NLMP 2.2.2.8).
    public let response: [UInt8]
}

extension ClientProof: CustomStringConvertible, CustomReflectable {
    /// The names, without the response.
    public var description: String { "<NTLM response of '\(domain.isEmpty ? user : "\(domain)\\\(user)")'>" }

    /// Has no children, so that `dump` does not show the response.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What a judge says of a ``ClientProof``.
public enum ProofJudgement: Sendable {
    /// The account's hash, by which ``ServerHandshake`` judges itself; `nil` for an unknown account.
    case hash(NTHash?)
    /// The response is right. `SessionBaseKey` of MS-NLMP 3.3.2, which domain controllers call the user's session key.
    case right(SessionBaseKey)
    /// The response is wrong, or the account is unknown.
    case wrong
}

/// The key that client and judge share after a right response. Erased with its last owner.
public struct SessionBaseKey: Sendable {
    let secret: SharedSecret

    /// Bytes in a key.
    public static let byteCount = 16

    /// Copies a key.
    ///
    /// - Throws: `wrongLength` unless `bytes` has exactly 16 bytes.
    public init(_ bytes: Span<UInt8>) throws(NTLMKeyError) {
        guard bytes.count == Self.byteCount else { throw .wrongLength(expected: Self.byteCount, found: bytes.count) }
        secret = SharedSecret(SecretBytes(copying: bytes))
    }
}

extension SessionBaseKey: CustomStringConvertible, CustomReflectable {
    /// A fixed text, so that a log does not show the key.
    public var description: String { "<session key>" }

    /// Has no children, so that a dump does not show the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
