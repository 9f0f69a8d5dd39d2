public import NIOCore

/// The bounds of a relay.
public struct RelayLimits: Sendable {
    /// How long connecting to a parent may take.
    public var connecting: TimeAmount = .seconds(5)
    /// How long a client may take to send the head of a request, from its first byte. For SOCKS the time begins with the connection, and after a
    /// log-on anew.
    public var head: TimeAmount = .seconds(10)
    /// How long a client may take for the handshake of TLS.
    public var tlsHandshake: TimeAmount = .seconds(10)
    /// How long a client may take to send the body of a request that is refused. Then it gets the response, and its connection is closed.
    public var dropping: TimeAmount = .seconds(10)
    /// How long a client's connection without a request is kept.
    public var idleClient: TimeAmount = .seconds(120)
    /// How long a parent's connection without a request is kept; shorter than the parent's own limit.
    public var idleParent: TimeAmount = .seconds(20)
    /// How long a refused response may take to its end, so that the handshake goes on.
    public var handshake: TimeAmount = .seconds(10)
    /// How long a request may stand still: no byte of it or of its response passes.
    public var stalled: TimeAmount = .seconds(300)
    /// How long a tunnel without a byte is kept.
    public var idleTunnel: TimeAmount = .seconds(3600)
    /// How long a request waits for a connection to the parent, or for another request's attempt.
    public var waiting: TimeAmount = .seconds(60)
    /// How long a request waits for a person who is asked for a password, or for a token. Then it is answered with 503, and the question for a
    /// password stays open as long as its source lets it.
    public var asking: TimeAmount = .seconds(60)
    /// How long a request waits for the directory with the accounts of clients.
    public var directory: TimeAmount = .seconds(30)
    /// How long a request waits for a ``ProxyChooser``.
    public var choosing: TimeAmount = .seconds(30)
    /// How long to wait for `100 Continue` before a body.
    public var continuing: TimeAmount = .seconds(1)
    /// How many bytes of a body are kept, in case the party asks for authentication after it.
    public var keptBody = 16 << 10
    /// How long a client may take to read the end of a response before its connection is closed.
    public var lingering: TimeAmount = .seconds(2)
    /// How long requests under way may go on when the relay is told to end.
    public var grace: TimeAmount = .seconds(10)
    /// How many connections to one parent are open, with tunnels; further requests wait.
    public var parentConnections = 16_384
    /// How many clients are connected, and at most half as many as the process may open descriptors. Further ones wait until they are accepted.
    public var clients = 16_384
    /// How many clients of one IPv4 address, or of the first 64 bits of an IPv6 address, are connected at listeners beyond loopback, and at most
    /// half of all. Further ones are closed at once.
    public var clientsPerAddress = 1_024
    /// How many bytes of memory the unfinished heads of all clients take together. One that takes more is refused.
    public var unfinishedHeads = 64 << 20
    /// How many bytes of a refused response are read so that its connection can be used again.
    public var drainedBytes = 1 << 20

    /// The default bounds.
    public init() {}
}
