/// One TLS handshake or one HTTP response of a recording.
public struct RecordedEvent: Sendable {
    /// The sorts of events, each with its record.
    public enum Content: Sendable {
        /// A TLS handshake was completed, or broken off by the client after it saw the chain.
        case handshake(RecordedHandshake)
        /// A response came, with its status and fields.
        case response(RecordedResponse)
        /// The user of the client typed a new password.
        case password(RecordedPassword)
        /// A profile is in use from now on. Only transcripts have these.
        case profile(RecordedProfile)
        /// The refusals of the account of this name were forgotten. Only transcripts have these.
        case forgiven(account: String)
    }

    /// Which exchange the event belongs to; the events of one exchange are contiguous.
    public let exchange: Int
    /// The position inside the exchange, from 0.
    public let leg: Int
    /// Which sort of exchange this is, such as `ntlm-401`.
    public let kind: String
    /// When it happened, in microseconds since 1970.
    public let unixMicroseconds: Int64
    /// Which TCP connection carried it.
    public let connection: Int
    /// Scheme, host and port of the origin server.
    public let origin: String
    /// The sort of the event, with its record.
    public let content: Content
    /// What the policy of the recording's profile demands, known from how the exchange was set up.
    public let expected: ExpectedVerdict
}

/// A new password of an account.
public struct RecordedPassword: Decodable, Sendable {
    /// The account's name in the profile.
    public let account: String
    /// The file with the password, in the folder `secrets` of the recording.
    public let secret: String
}

/// The verdict that an event must lead to.
public struct ExpectedVerdict: Decodable, Sendable, Equatable {
    /// `answered`, `repeated`, `withheld`, `accepted`, `refused`, `passed`, `evidence`, `noted`, `trusted` or `rejected`.
    public let verdict: String
    /// Why, in one word; absent where the verdict says it all.
    public let reason: String?
    /// The name of the client identity to present, where a certificate was asked for.
    public let identity: String?
}

/// A TLS handshake as the client saw it; certificates by SHA-256.
public struct RecordedHandshake: Decodable, Sendable {
    /// What a server says when it asks for a client certificate.
    public struct CertificateRequest: Decodable, Sendable {
        /// Base64 of the DER Names of acceptable authorities.
        public let authorities: [String]
    }

    /// As the server sent it, leaf first.
    public let presented: [String]
    /// As validation built it, leaf to anchor; absent when the chain did not validate.
    public let validated: [String]?
    /// What validation complained of.
    public let validationError: String?
    /// Present when the server asked for a client certificate.
    public let certificateRequest: CertificateRequest?
    /// The leaf that the client presented.
    public let clientCertificate: String?
}

/// An HTTP response and what the client sent next.
public struct RecordedResponse: Decodable, Sendable {
    /// What the client sent in reply to a challenge.
    public struct Answer: Decodable, Sendable {
        /// `Authorization` or `Proxy-Authorization`.
        public let field: String
        /// The field's value.
        public let value: String
        /// The account's name in the profile.
        public let account: String
        /// The random numbers and times that went into the value.
        public let nonces: Nonces?
    }

    /// What makes an answer repeatable.
    public struct Nonces: Decodable, Sendable {
        /// NTLM: 8 bytes in hexadecimal digits.
        public let clientChallenge: String?
        /// NTLM: 16 bytes in hexadecimal digits; absent when no key was exchanged.
        public let exportedSessionKey: String?
        /// NTLM: FILETIME in decimal digits.
        public let timestamp: String?
        /// Digest: the `cnonce` parameter.
        public let cnonce: String?
        /// Digest: the nonce count.
        public let nc: Int?
    }

    /// The origin of the proxy that the request went through.
    public let via: String?
    /// The major version of HTTP; absent for 1.
    public let http: Int?
    /// The request method.
    public let method: String
    /// The request target, as sent.
    public let target: String
    /// The status code.
    public let status: Int
    /// Header fields as they came: pairs of name and value.
    public let fields: [[String]]
    /// The chain that the server presented on this connection, by SHA-256; empty without TLS.
    public let chain: [String]
    /// What the client sent next; absent when it sent nothing.
    public let answer: Answer?
    /// What only transcripts say.
    public let profile: UInt64?
    /// Whether the first send of the request carried an answer in advance.
    public let inAdvance: Bool?
    /// Whether only the proxy was answered.
    public let proxyOnly: Bool?
    /// Whether the body could be sent once only.
    public let bodyOnce: Bool?
    /// Whether any of the body was sent before the response.
    public let bodySent: Bool?
    /// Whether the next request could be sent on the same connection.
    public let canPin: Bool?
    /// Whether the connection before it was lost in mid-handshake, and this is its challenge once more; absent if not.
    public let lostHandshake: Bool?
    /// The TLS state, instead of a chain: `none`, `leaf`, `leaf-without-hash`, `leaf-unreadable` or `unknown-leaf`; absent if it is not
    /// known.
    public let security: String?
}
