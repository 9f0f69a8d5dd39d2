internal import HTTP1
internal import NIOCore
internal import Synchronization

/// Reads requests.
extension AcceptedConnection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch phase {
        case .tunnel:
            tunnel?.write(bytes)
            touchTunnel()
        case .closing: return
        case .idle, .exchanging, .admitting, .dropping, .greeting:
            if received.readableBytes == 0 {
                received = bytes
            } else {
                var all = takeReceived()
                all.writeImmutableBuffer(bytes)
                received = all
            }
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
            case .greeting: guard readSOCKS() else { return }
            case .exchanging:
                exchange?.passBody()
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
        guard received.readableBytes > 0 else {
            waitForHead()
            return false
        }
        var all = takeReceived()
        if greeting != .spokenHTTP, let foreign = foreignProtocol(of: all) {
            refuse(.foreign(foreign))
            return false
        }
        // RFC 9112 section 2.2: an empty line before a request is skipped, also if its two bytes come one after the other.
        if headWait != .begun || headEnd.searched == 1, all.getInteger(at: all.readerIndex, as: UInt16.self) == 0x0D0A {
            all.moveReaderIndex(forwardBy: 2)
            headEnd = HeadEnd()
        }
        do throws(HeadDefect) {
            var end = headEnd
            let length = try end.find(in: all)
            headEnd = end
            guard let length, let bytes = all.readSlice(length: length) else {
                if greeting != .spokenHTTP, ForeignProtocol.isForeign(firstLineOf: all.readableBytesUInt8Span) {
                    refuse(.foreign(.unknown))
                    return false
                }
                received = all
                waitForHead()
                if !holdHead(all.readableBytes > 0 ? all.storageCapacity : 0) { refuse(.tooManyHeads) }
                return false
            }
            holdHead(0)
            // The memory of the last read is used again by the next.
            if all.readableBytes > 0 { received = all }
            headWait = .none
            greeting = .spokenHTTP
            try begin(bytes)
            return true
        } catch {
            refuse(.defect(error))
            return false
        }
    }

    /// What the client speaks in place of HTTP/1. Bytes before the end of the handshake are not of TLS, see ``TLSBeginning``.
    private func foreignProtocol(of bytes: ByteBuffer) -> ForeignProtocol? {
        let found = ForeignProtocol(firstBytes: bytes.readableBytesUInt8Span)
        return found ?? (greeting == .shakingHands && bytes.readableBytes > 0 ? .plainHTTP : nil)
    }

    /// Counts the memory of the unfinished head among that of all clients.
    ///
    /// - Returns: whether there is room for it.
    @discardableResult
    func holdHead(_ bytes: Int) -> Bool {
        guard bytes != heldHead else { return true }
        let all = loop.core.unfinishedHeads.add(bytes - heldHead, ordering: .relaxed).newValue
        defer { heldHead = bytes }
        return bytes < heldHead || all <= loop.limits.unfinishedHeads
    }

    private func waitForHead() {
        if inputIsClosed { return close() }
        if received.readableBytes == 0 {
            if loop.isEnding { return close() }
            guard headWait == .none else { return }
            headWait = .idle
            deadline = loop.now + loop.limits.idleClient
        } else if headWait != .begun {
            headWait = .begun
            deadline = loop.now + loop.limits.head
        }
    }

    // MARK: Backpressure

    /// Nothing is read that could not be passed on, except for the end of the connection.
    private var holdsReads: Bool {
        switch phase {
        case .tunnel: return !(tunnel?.isWritable ?? true)
        case .idle, .dropping, .closing, .greeting: return false
        case .admitting: return received.readableBytes > 0
        case .exchanging:
            if received.readableBytes > 0 { return true }
            guard let exchange, exchange.body.isOpen, !exchange.body.isAtEnd else { return false }
            return !(exchange.upstream?.isWritable ?? false)
        }
    }

    func read(context: ChannelHandlerContext) {
        if holdsReads { pace.holdRead() } else { context.read() }
    }

    func resumeReads() {
        if pace.takeRead(unless: holdsReads) { context?.read() }
    }
}
