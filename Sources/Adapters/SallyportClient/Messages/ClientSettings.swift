public import Hostnames
public import NIOCore

/// The bounds of an ``AuthenticatedClient``, and its proxy.
public struct ClientSettings: Sendable {
    /// The proxy for an origin; `nil` for a direct connection.
    public var proxy: @Sendable (Origin) -> Origin? = { _ in nil }
    /// How long connecting may take.
    public var connectLimit: TimeAmount = .seconds(10)
    /// How long a connection without a request is kept.
    public var idleLimit: TimeAmount = .seconds(30)
    /// How long to wait for `100 Continue` before a body that can be sent once.
    public var continueLimit: TimeAmount = .seconds(1)
    /// How long a request may take, with its response's body, where its caller names no deadline.
    public var totalLimit = TimeAmount.hours(1)
    /// How many bytes of a refused response are read so that its connection can be used again.
    public var drainedBytes = 1 << 20
    /// How long a refused response is read so that its connection can be used again.
    public var drainLimit = TimeAmount.seconds(10)
    /// How many connections one key may have; further requests wait.
    public var connectionsPerKey = 64
    /// How many idle connections are kept in all.
    public var idleConnections = 1024
    /// How many redirects are followed.
    public var redirects = 8
    /// Whether answers may go out before a challenge, where one was accepted before.
    public var answersInAdvance = true

    /// The default bounds, without a proxy.
    public init() {}
}
