internal import HTTPTypes
internal import NIOCore

/// Writes to the client.
extension AcceptedConnection {
    /// Writes the head of a response. A short body leaves with it in one piece, because a write costs more than a copy.
    func writeHead(_ bytes: ByteBuffer) {
        passHead()
        pace.noteWrite()
        waitingHead = bytes
    }

    func write(_ bytes: ByteBuffer) {
        pace.noteWrite()
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

    func passHead() {
        let head = takeHead()
        if head.readableBytes > 0 { pass(head) }
    }

    /// Sends all that is written, before the connection ends.
    func sendAll() {
        passHead()
        _ = pace.takeFlush()
        context?.flush()
    }

    func flush() {
        guard pace.takeFlush() else { return }
        let head = takeHead()
        guard head.readableBytes > 0 else {
            context?.flush()
            return
        }
        pass(head)
        context?.flush()
        loop.heads.giveBack(head)
    }
}

/// The client's end of a tunnel.
extension AcceptedConnection: UpstreamTunnel {
    /// Turns the connection into one end of a tunnel.
    func openTunnel(_ upstream: UpstreamConnection) {
        exchange?.cancel()
        exchange = nil
        // No request follows.
        (destination, reverse, logOn) = (nil, nil, nil)
        phase = .tunnel
        tunnel = upstream
        loop.counters.tunnels += 1
        TunnelOptions.apply(to: context?.channel)
        upstream.openTunnel(to: self)
        if received.readableBytes > 0 {
            upstream.write(received)
            received = loop.noBytes
        }
        upstream.flush()
        flush()
        if inputIsClosed { upstream.finishWriting() }
        resumeReads()
    }

    /// Tells the client that its tunnel is open.
    func writeEstablished() {
        switch listener.speech {
        case .http: break
        case .socks: return write(ByteBuffer(bytes: SOCKSAnswers.reply(nil)))
        case .opaque: return
        }
        var out = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n")
        for field in logOn?.proof ?? [:] { RequestFields.write(field, to: &out) }
        out.writeInteger(UInt16(0x0D0A))
        write(out)
    }

    func receivedThrough(_ bytes: ByteBuffer) {
        write(bytes)
        touchTunnel()
    }

    func touchTunnel() { tunnel?.touch() }

    func finishWriting() {
        guard let context else { return }
        if inputIsClosed { return close() }
        sendAll()
        context.close(mode: .output, promise: nil)
    }

    func tunnelStalled() {
        // A client whose connection ends still reads what is written.
        if isInTunnel { abort() } else { tunnel?.close() }
    }

    func tunnelEnded() {
        tunnel = nil
        close()
    }
}
