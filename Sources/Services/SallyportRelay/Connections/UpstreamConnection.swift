internal import HTTPTypes
internal import NIOCore
internal import NIOPosix
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
    private(set) var state = State.idle
    /// The client whose request it carries.
    private var client: ClientConnection?
    private var method = RequestHead.Method.other
    /// What has come and is not read yet; changed in a copy that is put back, as in ``ClientConnection``.
    private var received: ByteBuffer
    private var body = BodyReader(.none)
    private var drainedBytes = 0
    private var interimResponses = 0
    private var isKeptAlive = false
    /// What the head of the response is for if the client is gone.
    private var settleAfterClient: ((ResponseHead, ByteBuffer, ConnectionTraits) -> Void)?
    private var hasHeldRead = false
    private var hasUnflushed = false
    private var inputIsClosed = false
    private(set) var hasReceivedBytes = false
    /// Whether its channel reads as before a tunnel.
    private var readsBeforeTunnel = false
    /// Why the connection ended, if TLS says so. As it came, because a `TLSError` would take over a hundred bytes of each connection.
    private var tlsFailure: (any Error)?
    var failure: TLSError? { tlsFailure as? TLSError }

    init(_ pool: UpstreamPool, key: ConnectionKey) {
        self.pool = pool
        self.key = key
        received = pool.loop.noBytes
    }

    private var loop: RelayLoop { pool.loop }

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

    // MARK: Requests

    /// Begins a request; its bytes follow with ``write(_:)``.
    func begin(_ client: ClientConnection, _ method: RequestHead.Method) {
        (self.client, self.method) = (client, method)
        isIdle = false
        state = .head(HeadEnd())
        interimResponses = 0
        hasReceivedBytes = false
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
    func settleAlone(_ settle: @escaping (ResponseHead, ByteBuffer, ConnectionTraits) -> Void) {
        guard case .head = state, isUsable else { return close() }
        client = nil
        settleAfterClient = settle
        deadline = loop.now + loop.limits.handshake
        resumeReads()
    }

    func openTunnel() {
        state = .tunnel
        touch()
        TunnelOptions.apply(to: context?.channel)
        guard received.readableBytes > 0, let client else { return }
        client.writeThrough(received)
        received = loop.noBytes
    }

    /// Ends the connection, without a word to the client.
    func close() {
        guard let context else { return closedNow() }
        (client, settleAfterClient) = (nil, nil)
        state = .closed
        context.close(promise: nil)
        closedNow()
    }

    /// Sends the end of the client's bytes.
    func finishWriting() {
        guard let context else { return }
        if inputIsClosed { return closeAfterWrites(context) }
        context.close(mode: .output, promise: nil)
    }

    private func closeAfterWrites(_ context: ChannelHandlerContext) {
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }

    /// Ends what stands still.
    func expire() {
        guard let client else { return close() }
        client.upstreamStalled(self)
    }

    private func closedNow() {
        pool.closed(self)
        isIdle = false
    }

    // MARK: Responses

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        isWritable = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if case .tunnel = state {
            client?.writeThrough(bytes)
            touch()
            return
        }
        hasReceivedBytes = true
        var all = takeReceived()
        if all.readableBytes == 0 { all = bytes } else { all.writeBuffer(&bytes) }
        received = all
        pump()
    }

    func channelReadComplete(context: ChannelHandlerContext) { client?.flush() }

    /// Reads as much of the response as has come.
    func pump() {
        do throws(HeadDefect) {
            while true {
                switch state {
                case .idle:
                    guard received.readableBytes == 0 else { throw .unaskedBytes }
                    return
                case .head(var end):
                    var all = received
                    let found = try end.find(in: all)
                    state = .head(end)
                    guard let length = found, let bytes = all.readSlice(length: length) else { return }
                    keep(all)
                    try took(bytes)
                case .body:
                    guard try passBody() else { return }
                    ended()
                case .draining:
                    guard try dropBody() else { return }
                    drained()
                case .tunnel:
                    guard received.readableBytes > 0 else { return }
                    client?.writeThrough(received)
                    received = loop.noBytes
                    return
                case .closed: return
                }
            }
        } catch {
            let client = client
            let wasIdle = isIdle
            if wasIdle || client == nil { return close() }
            client?.upstreamFailed(self, error)
        }
    }

    private func takeReceived() -> ByteBuffer {
        let all = received
        received = loop.noBytes
        return all
    }

    /// Keeps what is not read yet. Memory whose bytes are all read is used again by the next read.
    private func keep(_ rest: ByteBuffer) { received = rest.readableBytes > 0 ? rest : loop.noBytes }

    private func took(_ bytes: ByteBuffer) throws(HeadDefect) {
        let span = bytes.readableBytesUInt8Span
        let head = try ResponseHead(parsing: span, to: method)
        if client != nil { touch() }
        if head.isInterim {
            interimResponses += 1
            guard interimResponses <= HeadLimits.interimResponses else { throw .tooManyInterimResponses }
            client?.receivedInterim(head, bytes)
            return
        }
        if let settle = settleAfterClient.take() {
            settle(head, bytes, traits)
            return close()
        }
        body = BodyReader(head.framing)
        isKeptAlive = head.isKeptAlive
        state = .body
        client?.received(head, bytes, on: self)
    }

    /// Whether the body is at its end.
    private func passBody() throws(HeadDefect) -> Bool {
        if body.isAtEnd { return true }
        guard received.readableBytes > 0, let client else { return false }
        var whole = received
        if client.needsPlainBody {
            let bytes = whole
            var reader = body
            let count = try reader.take(bytes.readableBytesUInt8Span) { range in
                if let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
                    client.writeBody(part)
                }
            }
            body = reader
            whole.moveReaderIndex(forwardBy: count)
            keep(whole)
        } else {
            let count = try take(whole.readableBytesUInt8Span)
            let part = whole.readSlice(length: count)
            keep(whole)
            if let part { client.writeBody(part) }
        }
        touch()
        return body.isAtEnd
    }

    private func take(_ bytes: Span<UInt8>) throws(HeadDefect) -> Int {
        // In a copy, so that no access to the property has to be checked.
        var reader = body
        let count = try reader.take(bytes)
        body = reader
        return count
    }

    private func dropBody() throws(HeadDefect) -> Bool {
        if body.isAtEnd { return true }
        var whole = received
        let count = try take(whole.readableBytesUInt8Span)
        whole.moveReaderIndex(forwardBy: count)
        keep(whole)
        drainedBytes += count
        guard drainedBytes <= loop.limits.drainedBytes else { throw .headTooLong }
        return body.isAtEnd
    }

    /// Whether another request may follow the response.
    var mayBeReused: Bool { isKeptAlive && body.isAtEnd && received.readableBytes == 0 && !inputIsClosed }

    private func ended() {
        guard let client else { return close() }
        state = .idle
        client.responseEnded(self)
    }

    private func drained() {
        state = .idle
        guard let client else { return mayBeReused && !isOfClient ? pool.release(self) : close() }
        client.refusedResponseEnded(self)
    }

    // MARK: The end of the connection

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        inputIsClosed = true
        switch state {
        case .tunnel: client?.finishWriting()
        case .closed: break
        default: lost(isClean: true)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputIsClosed = true
        if case .closed = state {} else { lost(isClean: false) }
        closedNow()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is TLSError { tlsFailure = error }
        context.close(promise: nil)
    }

    /// - Parameter isClean: whether the parent has said that it sends nothing more.
    private func lost(isClean: Bool) {
        let client = client
        switch state {
        case .idle, .closed: close()
        case .body where isClean && body.endsWithConnection && client != nil:
            state = .idle
            isKeptAlive = false
            body = BodyReader(.none)
            client?.responseEnded(self)
        case .tunnel:
            close()
            client?.tunnelEnded()
        case .head, .body, .draining:
            close()
            client?.upstreamLost(self)
        }
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
