public import NIOCore

/// The bounds and choices of an ``AuthenticationClientHandler``.
public struct AuthenticationClientOptions: Sendable {
    /// The most body bytes of one request that are kept to send them again, and the most bytes of pipelined requests and
    /// held bodies. A longer body is sent once.
    public var mostRepeatableBytes = 1 << 20
    /// The most body bytes that an answer can cover (Digest with `qop=auth-int`). They are copied before the first send, so the
    /// body must have ended by then.
    public var mostSignedBytes = 64 << 10
    /// The most body bytes of a refused response that are read and dropped, so that its connection can go on.
    public var mostDrainedBytes = 1 << 20
    /// The most requests that wait behind the one at work.
    public var mostQueuedRequests = 16
    /// How long the body of a refused response may take.
    public var drainTime = TimeAmount.seconds(10)
    /// How long a body that can be sent once waits for `100 Continue`.
    public var continueTime = TimeAmount.seconds(1)
    /// Whether answers may go out before a challenge, where one was accepted before.
    public var answersInAdvance = true

    /// The values above; set the members that should differ.
    public init() {}
}
