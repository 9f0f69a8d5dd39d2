public import HTTPAuthentication

/// A scheme that a server or proxy offers its clients.
public enum ClientScheme: String, Hashable, Sendable, CaseIterable {
    /// SPNEGO with Kerberos or NTLM in it, or the messages of either without that frame (RFC 4559); the log-on belongs to the
    /// connection.
    case negotiate
    /// NTLM messages in HTTP fields; the log-on belongs to the connection.
    case ntlm
    /// Digest with SHA-256 (RFC 7616).
    case digestSHA256
    /// Digest with MD5, for older clients.
    case digestMD5
    /// Basic (RFC 7617), which shows the password to the server.
    case basic

    /// The name in challenges and answers.
    public var scheme: AuthenticationScheme {
        switch self {
        case .negotiate: .negotiate
        case .ntlm: .ntlm
        case .digestSHA256, .digestMD5: .digest
        case .basic: .basic
        }
    }
}
