public import Secrets

/// What an account proves itself with.
public enum Credential: Sendable {
    /// A password in UTF-8: for Basic, Digest and NTLM.
    case password(SharedSecret)
    /// The 16 bytes of an NT hash, the MD4 of the password in UTF-16: for NTLM alone.
    case ntHash(SharedSecret)
    /// A token that is sent as it is (RFC 6750).
    case token(SharedSecret)
    /// A Kerberos ticket of the system's default cache.
    case ticket
    /// A client certificate, which answers in the TLS handshake and not in a header field.
    case identity(ClientIdentity)

    /// The password, if it is one.
    public var password: SharedSecret? {
        guard case .password(let password) = self else { return nil }
        return password
    }

    /// The token, if it is one.
    public var token: SharedSecret? {
        guard case .token(let token) = self else { return nil }
        return token
    }

    /// The secret bytes; `nil` for a ticket, which the system keeps, and an identity, whose key the TLS library keeps.
    package var secret: SharedSecret? {
        switch self {
        case .password(let secret), .ntHash(let secret), .token(let secret): secret
        case .ticket, .identity: nil
        }
    }

    /// Whether it is a ticket, which the system keeps and which is not a password.
    package var isTicket: Bool {
        if case .ticket = self { return true }
        return false
    }

    /// A stable word for the kind.
    package var kind: String {
        switch self {
        case .password: "password"
        case .ntHash: "NT hash"
        case .token: "token"
        case .ticket: "ticket"
        case .identity: "client certificate"
        }
    }
}

extension Credential: CustomStringConvertible {
    /// The kind, without the secret.
    public var description: String { "<\(kind)>" }
}
