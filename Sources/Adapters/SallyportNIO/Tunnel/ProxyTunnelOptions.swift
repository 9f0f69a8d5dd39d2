public import NIOCore

/// The bounds and choices of a ``ProxyTunnelHandler``.
public struct ProxyTunnelOptions: Sendable {
    /// The longest time until the tunnel is open.
    public var deadline = TimeAmount.seconds(30)
    /// The most bytes of one response head.
    public var mostHeadBytes = ResponseLimits.headBytes
    /// The most interim responses (1xx) before one response.
    public var mostInterimResponses = ResponseLimits.interimResponses
    /// The most bytes of a refused response's body, with the lines of its chunks.
    public var mostDrainedBytes = 1 << 20
    /// How long the body of a refused response may take.
    public var drainTime = TimeAmount.seconds(10)
    /// The most bytes that are held until the tunnel is open: of writes, and of early bytes from the proxy.
    public var mostHeldBytes = 1 << 20
    /// Whether an answer may go out before a challenge, where one was accepted before.
    public var answersInAdvance = true

    /// The values above; set the members that should differ.
    public init() {}
}
