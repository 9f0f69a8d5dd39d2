internal import Credentials
internal import Secrets

/// What a stored secret is: a password, an NT hash, a token.
///
/// The set is open: a store keeps and returns kinds that this version does not know. A kind whose secret gets another form
/// gets another name, such as `token-2`, so that an older program does not send what it cannot read.
public struct CredentialKind: RawRepresentable, Hashable, Sendable {
    /// The name of the kind in a store; 1 to ``CredentialLimits/kindBytes`` of `a-z`, `0-9` and `-`.
    public let rawValue: String

    /// Makes a kind. A store refuses a name of another form.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A password in UTF-8.
    public static let password = CredentialKind(rawValue: "password")
    /// The 16 bytes of an NT hash.
    public static let ntHash = CredentialKind(rawValue: "nt-hash")
    /// A token that is sent as it is.
    public static let token = CredentialKind(rawValue: "token")
    /// A token that gets new tokens (RFC 6749 1.5) and is never sent to the protected server.
    public static let refreshToken = CredentialKind(rawValue: "refresh-token")
    /// The refresh token that one of Git's helpers gave with a password (`oauth_refresh_token` of git-credential(1)). It is sent to no
    /// server, and no token source reads it.
    public static let gitRefreshToken = CredentialKind(rawValue: "git-refresh-token")
    /// An access token with its end and its service, which is not looked up for a challenge: a token source reads it.
    public static let accessToken = CredentialKind(rawValue: "access-token")
    /// The private key that an access token and its refresh token are bound to (RFC 9449), which is never sent to a server.
    public static let proofKey = CredentialKind(rawValue: "proof-key")
    /// What an application proves itself with at a token service (RFC 6749 section 2.3.1).
    public static let clientSecret = CredentialKind(rawValue: "client-secret")

    /// A client certificate with its chain and its private key, which is never sent to a server.
    public static let identity = CredentialKind(rawValue: "identity")

    /// The kind and the secret of `credential`; `nil` for a ticket or an identity, which have no secret to store.
    static func of(_ credential: Credential) -> (kind: CredentialKind, secret: SharedSecret)? {
        switch credential {
        case .password(let secret): (.password, secret)
        case .ntHash(let secret): (.ntHash, secret)
        case .token(let secret): (.token, secret)
        case .ticket, .identity: nil
        }
    }

    /// The credential of this kind; `nil` for a kind that is not sent to a server or not known.
    func credential(with secret: SharedSecret) -> Credential? {
        switch self {
        case .password: .password(secret)
        case .ntHash: .ntHash(secret)
        case .token: .token(secret)
        default: nil
        }
    }

    var isWellFormed: Bool {
        let bytes = rawValue.utf8
        return !bytes.isEmpty && bytes.count <= CredentialLimits.kindBytes
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
