public import NTLM
public import Secrets

/// What a directory knows of an account.
public enum ClientSecret: Sendable {
    /// The password in UTF-8: for all schemes.
    case password(SharedSecret)
    /// The NT hash of the password: for NTLM and Basic.
    case ntHash(NTHash)

    /// Whether `password` is right. The time does not depend on where the two differ.
    func accepts(_ password: SharedSecret) -> Bool {
        switch self {
        case .password(let known):
            known.withBytes { known in password.withBytes { areEqualUnderFreshKey(known, $0) } }
        case .ntHash(let known):
            password.withBytes { bytes in
                guard let hash = try? NTHash(utf8: bytes) else { return false }
                return hash.withBytes { found in known.withBytes { constantTimeEqual($0, found) } }
            }
        }
    }

    /// The NT hash; `nil` for a password that has none, because it is too long or not UTF-8.
    var ntHash: NTHash? {
        switch self {
        case .password(let password): password.withBytes { try? NTHash(utf8: $0) }
        case .ntHash(let hash): hash
        }
    }

    /// The password; `nil` if only its hash is known.
    var password: SharedSecret? {
        guard case .password(let password) = self else { return nil }
        return password
    }

    /// Takes the place of an unknown account, so that refusing it takes as long as refusing a password.
    static let standIn = ClientSecret.password(standInPassword)

    /// The password of ``standIn``. An unknown account is refused even with it.
    static let standInPassword = SharedSecret(utf8: "no account has this password")
}

extension ClientSecret: CustomStringConvertible, CustomReflectable {
    /// The kind, without the secret.
    public var description: String {
        switch self {
        case .password: "<password>"
        case .ntHash: "<NT hash>"
        }
    }

    /// Has no children, so that `dump` does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
