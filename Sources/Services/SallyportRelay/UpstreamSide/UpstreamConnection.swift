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
        /// Between two requests.
        case idle
        /// In the pool, for a request of any client with the same key.
        case pooled
        /// A request is on its way.
        case head(HeadEnd)
        case body
        /// A refused response is dropped.
        case draining
        case tunnel(any UpstreamTunnel)
        case closed
    }

    let pool: UpstreamPool
    let key: ConnectionKey
    let number = ConnectionNumber.next()
    /// Whether the parent has authenticated the connection.
    var isBound = false
    /// Whether a client has authenticated the connection itself, so that it carries requests of this client only.
    var isOfClient = false
    var deadline = NIODeadline.distantFuture
    private(set) var context: ChannelHandlerContext?
    var state = State.idle
    /// The request that it carries; `nil` between two, and in a tunnel.
    private(set) var request: (any UpstreamRequest)?
    var reuse = Reuse.notAllowed
    /// Why the connection ended, if TLS says so. As it came, because a `TLSError` would take over a hundred bytes of each connection.
    var tlsFailure: (any Error)?
    var failure: TLSError? { tlsFailure as? TLSError }

    // The response.
    var method = RequestHead.Method.other
    /// What has come and is not read yet; changed in a copy that is put back, as in ``AcceptedConnection``.
    var received: ByteBuffer
    var body = BodyReader(.none)
    var drainedBytes = 0
    var interimResponses = 0
    /// The status of a response whose head cannot be read; `nil` if no such head came, or its status cannot be read either.
    var unreadStatus: Int?
    /// Whether a proxy is asked to keep the connection.
    var persistence = ProxyPersistence()
    var arrived: Arrived
    /// Gets the response if the client is gone.
    private var settleAfterClient: SettleAfterClient? {
        didSet { pool.keptForVerdict += (settleAfterClient == nil ? 0 : 1) - (oldValue == nil ? 0 : 1) }
    }

    /// How much of the response has come.
    enum Arrived {
        /// Nothing since a connection to a parent over TLS was opened. Only the first bytes show that the parent takes requests: TLS begins
        /// after the lease, and with TLS 1.3 the parent looks at the client's certificate when the handshake has ended for the relay.
        case unproven
        case nothing
        case bytes
        /// A part of its body has passed.
        case body
    }

    /// Whether the party takes another request on the connection.
    enum Reuse {
        /// No response has allowed it, or the last one ends the connection.
        case notAllowed
        case allowed
        /// The party sends nothing more.
        case inputClosed
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

    private var pace = ChannelPace(isWritable: false)

    init(_ pool: UpstreamPool, key: ConnectionKey) {
        self.pool = pool
        self.key = key
        arrived = pool.isSecure && !pool.isDirect ? .unproven : .nothing
        received = pool.loop.noBytes
    }

    var loop: LoopContext { pool.loop }

    var inputIsClosed: Bool { reuse == .inputClosed }
    var isUsable: Bool { context?.channel.isActive == true && !inputIsClosed }
    var isWritable: Bool { pace.isWritable }
    var isPooled: Bool { if case .pooled = state { true } else { false } }
    var isUnanswered: Bool { arrived == .nothing || arrived == .unproven }
    var isInTunnel: Bool { if case .tunnel = state { true } else { false } }

    var traits: ConnectionTraits {
        ConnectionTraits(
            id: number,
            security: pool.isSecure
                ? context?.pipeline.syncOperations.connectionSecurity() : ConnectionTraits.Security.none
        )
    }

    /// What the party got that asked for a client certificate; `nil` if it did not ask.
    func presentedIdentity() -> IdentityDecision? { context?.pipeline.syncOperations.presentedIdentity() }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pace.isWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        pace.isWritable = false
    }

    // MARK: Requests

    /// Begins a request; its bytes follow with ``write(_:)``.
    func begin(_ request: any UpstreamRequest, _ method: RequestHead.Method) {
        let last = self.method
        (self.request, self.method) = (request, method)
        state = .head(HeadEnd(isResponse: true))
        interimResponses = 0
        unreadStatus = nil
        if arrived != .unproven { arrived = .nothing }
        touch()
        guard (last == .connect) != (method == .connect) else { return }
        ConnectionOptions.applyReads(isBeforeTunnel: method == .connect, to: context?.channel)
    }

    func write(_ bytes: ByteBuffer) {
        pace.noteWrite()
        context?.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    func flush() {
        if pace.takeFlush() { context?.flush() }
    }

    func touch() { deadline = loop.now + (isInTunnel ? loop.limits.idleTunnel : loop.limits.stalled) }

    /// Waits for the next request of the client that has authenticated it.
    func park() {
        request = nil
        state = .idle
        deadline = loop.now + loop.limits.idleParent
        resumeReads()
    }

    func becomeIdle() {
        request = nil
        state = .pooled
        deadline = loop.now + loop.limits.idleParent
        resumeReads()
    }

    /// Drops the rest of the refused response, then calls the request, or releases the connection if it has none.
    func drain() {
        state = .draining
        drainedBytes = 0
        deadline = loop.now + loop.limits.handshake
        pump()
    }

    /// Forgets the client, which is gone, and waits for the head of the response: `settle` gets it, and the connection is closed.
    func settleAlone(_ settle: @escaping SettleAfterClient) {
        guard case .head = state, isUsable else { return close() }
        request = nil
        settleAfterClient = settle
        deadline = loop.now + loop.limits.handshake
        resumeReads()
    }

    /// Waits no longer than for a refused response: a client that is gone should hold up no others.
    func hurry() { deadline = min(deadline, loop.now + loop.limits.handshake) }

    /// Tells who waits for the response although its client is gone; once.
    func settle(_ late: LateResponse) { settleAfterClient.take()?(late, self) }

    /// Whether the client is gone, and somebody waits for the head of the response.
    var settlesAlone: Bool { settleAfterClient != nil }

    func openTunnel(to end: any UpstreamTunnel) {
        request = nil
        state = .tunnel(end)
        touch()
        TunnelOptions.apply(to: context?.channel)
        guard received.readableBytes > 0 else { return }
        end.receivedThrough(received)
        received = loop.noBytes
    }

    /// Forgets its request, before it closes.
    func forgetRequest() { (request, settleAfterClient) = (nil, nil) }

    // MARK: Backpressure

    /// Nothing is read that the client would not take.
    private var holdsReads: Bool {
        if case .tunnel(let end) = state { return !end.isWritable }
        return request?.isWritable == false
    }

    func read(context: ChannelHandlerContext) {
        if holdsReads { pace.holdRead() } else { context.read() }
    }

    func resumeReads() {
        if pace.takeRead(unless: holdsReads) { context?.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pace.isWritable = context.channel.isWritable
        guard pace.isWritable else { return }
        if case .tunnel(let end) = state { end.resumeReads() } else { request?.resumeReads() }
    }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}
