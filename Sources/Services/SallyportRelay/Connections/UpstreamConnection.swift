internal import HTTP1
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

/// A connection to a parent or a server, for requests one after the other, or for one tunnel.
final class UpstreamConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    enum State {
        case idle
        /// A request is on its way.
        case head(HeadEnd)
        case body
        /// A refused response is dropped.
        case draining
        case tunnel
        case closed
    }

    let pool: UpstreamPool
    let key: ConnectionKey
    let number = ConnectionNumber.next()
    /// Whether the parent has authenticated the connection.
    var isBound = false
    /// Whether a client has authenticated the connection itself, so that it carries requests of this client only.
    var isOfClient = false
    /// Whether the connection is in the pool.
    var isIdle = false
    var deadline = NIODeadline.distantFuture
    private(set) var context: ChannelHandlerContext?
    var state = State.idle
    /// The client whose request it carries.
    var client: ClientConnection?
    var inputIsClosed = false
    /// Why the connection ended, if TLS says so. As it came, because a `TLSError` would take over a hundred bytes of each connection.
    var tlsFailure: (any Error)?
    var failure: TLSError? { tlsFailure as? TLSError }

    // The response.
    var method = RequestHead.Method.other
    /// What has come and is not read yet; changed in a copy that is put back, as in ``ClientConnection``.
    var received: ByteBuffer
    var body = BodyReader(.none)
    var drainedBytes = 0
    var interimResponses = 0
    /// The status of a response whose head cannot be read; `nil` if no such head came, or its status cannot be read either.
    var unreadStatus: Int?
    var isKeptAlive = false
    /// Whether a proxy is asked to keep the connection.
    var persistence = ProxyPersistence()
    var hasReceivedBytes = false
    /// Whether bytes of the response's body have passed.
    var hasPassedBody = false
    /// Gets the response if the client is gone.
    var settleAfterClient: SettleAfterClient? {
        didSet { pool.keptForVerdict += (settleAfterClient == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
    }

    /// What became of the response to a request whose client is gone.
    enum LateResponse {
        case head(ResponseHead, ByteBuffer)
        /// Its head cannot be read, or its connection was lost before.
        case unread
        /// No final response came in time.
        case absent
    }

    typealias SettleAfterClient = (LateResponse, UpstreamConnection) -> Void

    // The channel.
    private var hasHeldRead = false
    private var hasUnflushed = false
    /// Whether its channel reads as before a tunnel.
    private var readsBeforeTunnel = false

    init(_ pool: UpstreamPool, key: ConnectionKey) {
        self.pool = pool
        self.key = key
        received = pool.loop.noBytes
    }

    var loop: RelayLoop { pool.loop }

    var isUsable: Bool { context?.channel.isActive == true && !inputIsClosed }
    /// As the channel says when it changes.
    private(set) var isWritable = false
    var isInTunnel: Bool { if case .tunnel = state { true } else { false } }

    var traits: ConnectionTraits {
        ConnectionTraits(
            id: number,
            security: pool.isSecure
                ? context?.pipeline.syncOperations.connectionSecurity() : ConnectionTraits.Security.none
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        isWritable = false
    }

    // MARK: Requests

    /// Begins a request; its bytes follow with ``write(_:)``.
    func begin(_ client: ClientConnection, _ method: RequestHead.Method) {
        (self.client, self.method) = (client, method)
        isIdle = false
        state = .head(HeadEnd(isResponse: true))
        interimResponses = 0
        unreadStatus = nil
        hasReceivedBytes = false
        hasPassedBody = false
        touch()
        guard readsBeforeTunnel != (method == .connect) else { return }
        readsBeforeTunnel.toggle()
        ConnectionOptions.applyReads(isBeforeTunnel: readsBeforeTunnel, to: context?.channel)
    }

    func write(_ bytes: ByteBuffer) {
        hasUnflushed = true
        context?.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    func touch() { deadline = loop.now + (isInTunnel ? loop.limits.idleTunnel : loop.limits.stalled) }

    /// Waits for the next request of the client that has authenticated it.
    func park() {
        client = nil
        state = .idle
        deadline = loop.now + loop.limits.idleParent
        resumeReads()
    }

    func becomeIdle() {
        client = nil
        state = .idle
        isIdle = true
        deadline = loop.now + loop.limits.idleParent
        resumeReads()
    }

    /// Drops the rest of the refused response, then calls the client, or releases the connection if it has none.
    func drain() {
        state = .draining
        drainedBytes = 0
        deadline = loop.now + loop.limits.handshake
        pump()
    }

    /// Forgets the client, which is gone, and waits for the head of the response: `settle` gets it, and the connection is closed.
    func settleAlone(_ settle: @escaping SettleAfterClient) {
        guard case .head = state, isUsable else { return close() }
        client = nil
        settleAfterClient = settle
        deadline = loop.now + loop.limits.handshake
        resumeReads()
    }

    /// Waits no longer than for a refused response: a client that is gone should hold up no others.
    func hurry() { deadline = min(deadline, loop.now + loop.limits.handshake) }

    func openTunnel() {
        state = .tunnel
        touch()
        TunnelOptions.apply(to: context?.channel)
        guard received.readableBytes > 0, let client else { return }
        client.writeThrough(received)
        received = loop.noBytes
    }

    // MARK: Backpressure

    func read(context: ChannelHandlerContext) {
        if let client, !client.isWritable { hasHeldRead = true } else { context.read() }
    }

    func resumeReads() {
        guard hasHeldRead, client?.isWritable ?? true else { return }
        hasHeldRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable { client?.resumeReads() }
    }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}
