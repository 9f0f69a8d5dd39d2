internal import Hostnames
internal import NIOCore
internal import Sallyport

/// A connection of a client: requests one after the other, then possibly a tunnel.
///
/// Idle connections and tunnels are many, so what few of them need is in an object that is made for these.
final class ClientConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    enum Phase {
        /// Between two requests.
        case idle
        case exchanging
        /// The directory is asked about the client of a request.
        case admitting
        /// The body of a request whose client is refused is dropped.
        case dropping
        case tunnel
        /// The last response is written; what the client still sends is dropped.
        case closing
    }

    let loop: RelayLoop
    let listener: RelayListener
    var context: ChannelHandlerContext?
    var phase = Phase.idle
    /// What has come and is not read yet. It is changed in a copy that is put back: so the compiler knows that accesses do not overlap, and each
    /// of them needs no check.
    var received: ByteBuffer
    /// The head of a response, which waits for its body.
    private var waitingHead: ByteBuffer
    var exchange: Exchange?
    /// The other end of the tunnel.
    var tunnel: UpstreamConnection?
    var deadline: NIODeadline
    var inputIsClosed = false
    private var headEnd = HeadEnd()
    private var isReadingHead = false
    private var isProcessing = false
    private var hasHeldRead = false
    private var hasUnflushed = false
    /// Where the last request went.
    var destination: Destination?
    /// The accounts that answer for the client.
    var accounts: AnsweringAccounts
    /// `nil` if the client need not say who it is.
    var logOn: ClientLogOn?
    var dropped: DroppedBody?
    /// The user whose program has the other end of the connection.
    var owner: UInt32?
    var knowsOwner = false
    /// The server for which the listener stands.
    var reverse: ReverseSide?
    /// The connection that the client has authenticated itself, between its requests.
    var ownUpstream: UpstreamConnection?
    /// The server at which the client authenticates itself: it is not spoken for there any more.
    var ownOrigin: Origin?
    /// The present request, as long as its ways are not known.
    var choosing: Choosing?

    init(_ loop: RelayLoop, _ listener: RelayListener) {
        self.loop = loop
        received = loop.noBytes
        waitingHead = loop.noBytes
        self.listener = listener
        accounts = loop.core.accounts
        deadline = loop.now + loop.limits.idleClient
    }

    /// As the channel says when it changes.
    private(set) var isWritable = true
    var isInTunnel: Bool { if case .tunnel = phase { true } else { false } }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
        if !loop.add(self) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        isWritable = true
        // A connection that is closed before it is active, because the relay stops at that moment, does not become inactive.
        release()
        loop.remove(self)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
        case .tunnel:
            tunnel?.write(bytes)
            touchTunnel()
        case .closing: return
        case .idle, .exchanging, .admitting, .dropping:
            var all = takeReceived()
            if all.readableBytes == 0 { all = bytes } else { all.writeBuffer(&bytes) }
            received = all
            process()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let tunnel { tunnel.flush() } else { exchange?.upstream?.flush() }
    }

    /// Reads requests, and passes the body of the present one on.
    func process() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while true {
            switch phase {
            case .idle: guard readHead() else { return }
            case .exchanging:
                passBody()
                guard case .idle = phase else { return }
            case .dropping:
                dropBody()
                guard case .idle = phase else { return }
            case .admitting, .tunnel, .closing: return
            }
        }
    }

    /// The bytes that have come, whose memory nothing else holds then.
    func takeReceived() -> ByteBuffer {
        let all = received
        received = loop.noBytes
        return all
    }

    /// Whether a request began.
    private func readHead() -> Bool {
        var all = takeReceived()
        // RFC 9112 section 2.2: an empty line before a request is skipped, also if its two bytes come one after the other.
        if !isReadingHead || headEnd.searched == 1, all.getInteger(at: all.readerIndex, as: UInt16.self) == 0x0D0A {
            all.moveReaderIndex(forwardBy: 2)
            headEnd = HeadEnd()
        }
        do throws(HeadDefect) {
            var end = headEnd
            let length = try end.find(in: all)
            headEnd = end
            guard let length, let bytes = all.readSlice(length: length) else {
                received = all
                waitForHead()
                return false
            }
            // The memory of the last read is used again by the next.
            if all.readableBytes > 0 { received = all }
            isReadingHead = false
            try begin(bytes)
            return true
        } catch {
            refuse(.defect(error))
            return false
        }
    }

    private func waitForHead() {
        if inputIsClosed { return close() }
        if received.readableBytes == 0 {
            if loop.isEnding { return close() }
            deadline = loop.now + loop.limits.idleClient
        } else if !isReadingHead {
            isReadingHead = true
            deadline = loop.now + loop.limits.head
        }
    }

    /// Passes on what has come of the request's body.
    func passBody() {
        guard let exchange, case .open = exchange.gate, let upstream = exchange.upstream, !exchange.body.isAtEnd else {
            return
        }
        guard received.readableBytes > 0 else {
            if inputIsClosed { abort() }
            return
        }
        do throws(HeadDefect) {
            let whole = received
            var body = exchange.body
            let count = try body.take(whole.readableBytesUInt8Span)
            exchange.body = body
            var all = whole
            guard count > 0, let part = all.readSlice(length: count) else { return }
            received = all.readableBytes > 0 ? all : loop.noBytes
            exchange.passes(part, keeping: loop.limits.keptBody)
            upstream.write(part)
            upstream.touch()
            if exchange.body.isAtEnd || !upstream.isWritable { upstream.flush() }
            // The rest will not come.
            if inputIsClosed, !exchange.body.isAtEnd { abort() }
        } catch {
            // The parent has a part of the request: its connection carries nothing else.
            dropUpstream()
            if exchange.responseHasBegun { abort() } else { refuse(.defect(error)) }
        }
    }

    // MARK: Writing

    /// Writes the head of a response. A short body leaves with it in one piece, because a write costs more than a copy.
    func writeHead(_ bytes: ByteBuffer) {
        passHead()
        hasUnflushed = true
        waitingHead = bytes
    }

    func write(_ bytes: ByteBuffer) {
        hasUnflushed = true
        var head = takeHead()
        guard head.readableBytes > 0 else { return pass(bytes) }
        guard bytes.readableBytes <= head.writableBytes else {
            pass(head)
            return pass(bytes)
        }
        head.writeImmutableBuffer(bytes)
        waitingHead = head
    }

    private func pass(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil) }

    private func takeHead() -> ByteBuffer {
        let head = waitingHead
        if head.readableBytes > 0 { waitingHead = loop.noBytes }
        return head
    }

    private func passHead() {
        let head = takeHead()
        if head.readableBytes > 0 { pass(head) }
    }

    /// Sends all that is written, before the connection ends.
    func sendAll() {
        passHead()
        hasUnflushed = false
        context?.flush()
    }

    /// Bytes of the parent in a tunnel.
    func writeThrough(_ bytes: ByteBuffer) {
        write(bytes)
        touchTunnel()
    }

    func flush() {
        if hasUnflushed { sendAll() }
    }

    private func touchTunnel() { tunnel?.touch() }

    // MARK: Backpressure

    /// Nothing is read that could not be passed on, except for the end of the connection.
    private var holdsReads: Bool {
        switch phase {
        case .tunnel: return !(tunnel?.isWritable ?? true)
        case .idle, .dropping, .closing: return false
        case .admitting: return received.readableBytes > 0
        case .exchanging:
            if received.readableBytes > 0 { return true }
            guard let exchange, case .open = exchange.gate, !exchange.body.isAtEnd else { return false }
            return !(exchange.upstream?.isWritable ?? false)
        }
    }

    func read(context: ChannelHandlerContext) {
        if holdsReads { hasHeldRead = true } else { context.read() }
    }

    func resumeReads() {
        guard hasHeldRead, !holdsReads else { return }
        hasHeldRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        guard isWritable else { return }
        if let tunnel { tunnel.resumeReads() } else { exchange?.upstream?.resumeReads() }
    }

    // MARK: The end

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        inputIsClosed = true
        switch phase {
        case .tunnel: tunnel?.finishWriting()
        case .idle, .dropping: close()
        case .admitting: break
        case .closing: context.close(promise: nil)
        case .exchanging:
            // A client may close its side after its request, and still wait for the response.
            if exchange?.body.isAtEnd == false, received.readableBytes == 0 { return abort() }
            if waitsLong { refuse(.clientLeft) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputIsClosed = true
        release()
        loop.remove(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Drops what the connection holds.
    private func release() {
        phase = .closing
        tunnel?.close()
        tunnel = nil
        ownUpstream?.close()
        ownUpstream = nil
        logOn?.admission?.call.cancel()
        logOn = nil
        leaveUpstream()
        choosing?.task.cancel()
        choosing = nil
        exchange?.cancel()
        exchange = nil
        received = loop.noBytes
        waitingHead = loop.noBytes
    }

    /// Closes the connection to the parent, of which the present request was a part.
    func dropUpstream() {
        guard let exchange, let upstream = exchange.upstream else { return }
        exchange.upstream = nil
        upstream.close()
    }

    /// Ends the connection after what is written.
    func close() {
        guard let context else { return }
        phase = .closing
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        passHead()
        hasUnflushed = false
        deadline = loop.now + loop.limits.lingering
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }

    /// Ends the connection after what is written, and reads until the client has seen it: otherwise the system could drop the
    /// response together with what the client still sends.
    func closeLingering() {
        guard let context, !inputIsClosed else { return close() }
        phase = .closing
        deadline = loop.now + loop.limits.lingering
        sendAll()
        context.close(mode: .output, promise: nil)
        resumeReads()
    }

    /// Ends the connection at once: a response that stops in its middle must not look complete.
    func abort() {
        guard let context else { return }
        release()
        ResetOnClose.apply(to: context.channel)
        context.close(promise: nil)
    }

    /// Ends what would not end by itself: the relay takes no more requests.
    func endSoon() {
        switch phase {
        case .idle: if received.readableBytes == 0 { close() }
        // A person may never answer.
        case .exchanging: if exchange?.asking != nil || choosing != nil { refuse(.ending) }
        case .admitting, .dropping, .tunnel, .closing: return
        }
    }

    func sweep() {
        guard deadline <= loop.now else { return }
        switch phase {
        case .closing: context?.close(promise: nil)
        case .idle, .dropping: close()
        case .admitting: if let logOn { replied(nil, to: logOn.questionNumber) }
        case .exchanging:
            if choosing != nil {
                return refuse(.notChosen(reason: "the choice of a proxy takes too long: repeat the request"))
            }
            refuse(exchange?.asking == nil ? .waitedTooLong : .unanswered)
        case .tunnel: return
        }
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}
