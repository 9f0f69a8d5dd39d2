public import NIOCore

/// The bounds of a gateway.
public struct GatewayLimits: Sendable {
    /// The most bytes of a request's head.
    public static let head = 32 << 10

    /// How many connections of proxies are open. Further ones wait until they are accepted.
    public var connections = 4_096
    /// How many requests wait for the directory at a time. Further ones are refused.
    public var waiting = 1_000
    /// How long a request waits for the directory. Then it is refused.
    public var directory: TimeAmount = .seconds(5)
    /// How long a proxy may take for a head, from its first byte.
    public var head: TimeAmount = .seconds(10)
    /// How long a connection without a request is kept; longer than nginx (60 s), Caddy (120 s) and Envoy as
    /// printed (60 s) keep theirs, so that none is closed under a request.
    public var idle: TimeAmount = .seconds(150)
    /// How long checks that wait for the directory may go on when the gateway is told to end.
    public var grace: TimeAmount = .seconds(5)

    /// The default bounds.
    public init() {}
}
