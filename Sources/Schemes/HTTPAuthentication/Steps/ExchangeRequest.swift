/// The parts of the challenged request that an answer depends on.
public struct ExchangeRequest: Sendable {
    /// The request method, as sent.
    public let method: String
    /// The request target, as sent: a path with its query, an absolute URL through a proxy, or `host:port` of CONNECT.
    public let target: String
    /// The host of the party, for the service principal name `HTTP/<host>`.
    public let host: String

    /// Describes the request whose responses the exchange takes.
    public init(method: String, target: String, host: String) {
        self.method = method
        self.target = target
        self.host = host
    }
}
