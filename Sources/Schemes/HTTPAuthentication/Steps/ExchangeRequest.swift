/// The body of a message, for answers and proofs that cover it (Digest with `qop=auth-int`).
public enum ExchangeBody: Sendable {
    /// The message has no body; its hash is that of no bytes.
    case none
    /// The bytes of the body as they are sent, after any content coding and before any transfer coding.
    case bytes([UInt8])
    /// The caller does not have the bytes, for example of a body that is sent once and not kept.
    case notAvailable
}

/// The parts of the challenged request that an answer depends on.
public struct ExchangeRequest: Sendable {
    /// The request method, as sent.
    public let method: String
    /// The request target, as sent: a path with its query, an absolute URL through a proxy, or `host:port` of CONNECT.
    public let target: String
    /// The host of the party, for the service principal name `HTTP/<host>`.
    public let host: String
    /// The body of the request.
    public let body: ExchangeBody
    /// Scheme and authority of the origin, such as `https://wiki.example:8443`, or `nil`.
    ///
    /// Digest's `domain` may contain absolute URLs. They count only if they begin with this origin.
    public let origin: String?

    /// Describes the request whose responses the exchange takes.
    public init(
        method: String,
        target: String,
        host: String,
        body: ExchangeBody = .notAvailable,
        origin: String? = nil
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.body = body
        self.origin = origin
    }
}
