internal import HTTP1
internal import NIOCore
internal import SallyportNIO

/// Reads responses.
extension UpstreamConnection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if case .tunnel(let end) = state {
            end.receivedThrough(bytes)
            touch()
            return
        }
        switch arrived {
        case .nothing: arrived = .bytes
        case .unproven:
            arrived = .bytes
            noteParent()
        case .bytes, .body: break
        }
        if received.readableBytes == 0 {
            received = bytes
        } else {
            var all = takeReceived()
            all.writeImmutableBuffer(bytes)
            received = all
        }
        pump()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .tunnel(let end) = state { end.flush() } else { request?.flush() }
    }

    @inline(never) private func noteParent() {
        if let parent = pool.way.parent { loop.core.reached(parent) }
    }

    /// Reads as much of the response as has come.
    func pump() {
        do throws(HeadDefect) {
            while true {
                switch state {
                case .idle, .pooled:
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
                    if try dropBody() { drained() }
                    return
                case .tunnel(let end):
                    guard received.readableBytes > 0 else { return }
                    end.receivedThrough(received)
                    received = loop.noBytes
                    return
                case .closed: return
                }
            }
        } catch {
            noteUnreadHead()
            guard let request, !isPooled else {
                settle(.unread)
                return close()
            }
            request.upstreamFailed(self, error)
        }
    }

    /// Notes the status of a head that cannot be read, or whose end does not come.
    func noteUnreadHead() {
        guard case .head = state, unreadStatus == nil, received.readableBytes > 0 else { return }
        unreadStatus = ResponseHead.status(in: received.readableBytesUInt8Span)
    }

    private func takeReceived() -> ByteBuffer {
        let all = received
        received = loop.noBytes
        return all
    }

    /// Keeps what is not read yet. Memory whose bytes are all read is used again by the next read.
    private func keep(_ rest: ByteBuffer) { received = rest.readableBytes > 0 ? rest : loop.noBytes }

    private func took(_ head: ByteBuffer) throws(HeadDefect) {
        var bytes = head
        let head: ResponseHead
        do throws(HeadDefect) {
            head = try ResponseHead.read(&bytes, to: method)
        } catch {
            unreadStatus = ResponseHead.status(in: bytes.readableBytesUInt8Span)
            throw error
        }
        if request != nil { touch() }
        if head.isInterim {
            interimResponses += 1
            guard interimResponses <= HeadLimits.interimResponses else { throw .tooManyInterimResponses }
            request?.receivedInterim(head, bytes)
            return
        }
        if settlesAlone {
            settle(.head(head, bytes))
            return close()
        }
        body = BodyReader(head.framing, isResponse: true)
        if !inputIsClosed { reuse = head.isKeptAlive ? .allowed : .notAllowed }
        persistence.answered(inHTTP10: head.isHTTP10)
        state = .body
        request?.received(head, bytes, on: self)
    }

    /// Whether the body is at its end.
    private func passBody() throws(HeadDefect) -> Bool {
        if body.isAtEnd { return true }
        guard received.readableBytes > 0, let request else { return false }
        var whole = received
        if request.needsPlainBody {
            let bytes = whole
            var reader = body
            let count = try reader.advance(over: bytes.readableBytesUInt8Span) { range in
                if let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
                    arrived = .body
                    request.receivedBody(part)
                }
            }
            body = reader
            whole.moveReaderIndex(forwardBy: count)
            keep(whole)
        } else {
            // What is in order before a defect passes, too: otherwise it would depend on the reads what reaches the client.
            // In a copy, so that no access to the property has to be checked.
            var reader = body
            let (count, defect) = reader.advanceInOrder(over: whole.readableBytesUInt8Span)
            let mendings = reader.isMended ? reader.mendings : nil
            body = consume reader
            let part = whole.readSlice(length: count)
            keep(whole)
            if let part, part.readableBytes > 0 {
                arrived = .body
                request.receivedBody(mendings.map { part.mended($0) } ?? part)
            }
            if let defect { throw defect }
        }
        touch()
        return body.isAtEnd
    }

    private func dropBody() throws(HeadDefect) -> Bool {
        if body.isAtEnd { return true }
        var whole = received
        var reader = body
        let count = try reader.advance(over: whole.readableBytesUInt8Span)
        body = reader
        whole.moveReaderIndex(forwardBy: count)
        keep(whole)
        drainedBytes += count
        guard drainedBytes <= loop.limits.drainedBytes else { throw .headTooLong }
        return body.isAtEnd
    }

    /// Whether another request may follow the response.
    var mayBeReused: Bool { reuse == .allowed && body.isAtEnd && received.readableBytes == 0 }

    private func ended() {
        guard let request else { return close() }
        state = .idle
        request.responseEnded(self)
    }

    /// A party may close with its challenge, without saying so. What the system knows of that is heard first, because the answer would count
    /// as one that got no response.
    private func drained() {
        loop.eventLoop.assumeIsolated().execute { [self] in
            guard case .draining = state else { return }
            state = .idle
            guard let request else { return mayBeReused && !isOfClient ? pool.release(self) : close() }
            request.refusedResponseEnded(self)
        }
    }
}

extension ByteBuffer {
    /// The readable bytes in the strict form of chunks.
    fileprivate func mended(_ mendings: [ChunkReader.Mending]) -> ByteBuffer {
        var out = ByteBuffer()
        out.reserveCapacity(readableBytes + mendings.count)
        var start = 0
        func copy(to end: Int) {
            if let part = getSlice(at: readerIndex + start, length: end - start) { out.writeImmutableBuffer(part) }
            start = end
        }
        for mending in mendings {
            switch mending {
            case .omit(let place):
                copy(to: place)
                start = place + 1
            case .addReturn(let place):
                copy(to: place)
                out.writeInteger(UInt8(0x0D))
            case .insert(let place, let bytes):
                copy(to: place)
                out.writeBytes(bytes)
            }
        }
        copy(to: readableBytes)
        return out
    }
}
