public import NTLM
public import Secrets

/// What a directory knows of an account.
public enum ClientSecret: Sendable {
    /// The password in UTF-8: for all schemes.
    case password(SharedSecret)
    /// The NT hash of the password: for NTLM and Basic.
    case ntHash(NTHash)
    /// H(A1) of the password for one realm: for Digest with MD5 there, and Basic.
    case digest(DigestSecret)

    /// Whether `password` is right. The time does not depend on where the two differ.
    package func accepts(_ password: SharedSecret) -> Bool {
        switch self {
        case .password(let known):
            known.withBytes { known in password.withBytes { areEqualUnderFreshKey(known, $0) } }
        case .ntHash(let known):
            password.withBytes { bytes in
                guard let hash = try? NTHash(utf8: bytes) else { return false }
                return hash.withBytes { found in known.withBytes { constantTimeEqual($0, found) } }
            }
        case .digest(let known): known.accepts(password)
        }
    }

    /// The NT hash; `nil` for a password that has none, because it is too long or not UTF-8.
    var ntHash: NTHash? {
        switch self {
        case .password(let password): password.withBytes { try? NTHash(utf8: $0) }
        case .ntHash(let hash): hash
        case .digest: nil
        }
    }

    /// Takes the place of an unknown account, so that refusing it takes as long as refusing a password.
    package static let standIn = ClientSecret.password(standInPassword)

    /// The password of ``standIn``. An unknown account is refused even with it.
    static let standInPassword = SharedSecret(utf8: "no account has this password")
}

extension ClientSecret: CustomStringConvertible, CustomReflectable {
    /// The kind, without the secret.
    public var description: String {
        switch self {
        case .password: "<password>"
        case .ntHash: "<NT hash>"
        case .digest: "<H(A1)>"
        }
    }

    /// Has no children, so that `dump` does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
