/// What an exchange must know of the request that was challenged.
public struct ExchangeRequest: Sendable {
    /// The request method, as sent.
    public let method: String
    /// The request target, as sent: a path with its query, an absolute URL through a proxy, or `host:port` of CONNECT.
    public let target: String
    /// The host that asks, as it stands in a service principal name: `HTTP/<host>`.
    public let host: String

    /// Describes the request whose response is about to be handed to an exchange.
    public init(method: String, target: String, host: String) {
        self.method = method
        self.target = target
        self.host = host
    }
}
