internal import NIOCore

/// Writes to the client.
extension ClientConnection {
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

    func writeBody(_ bytes: ByteBuffer) { write(bytes) }

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

    /// Bytes of the parent in a tunnel.
    func writeThrough(_ bytes: ByteBuffer) {
        write(bytes)
        touchTunnel()
    }

    func flush() {
        guard pace.takeFlush() else { return }
        passHead()
        context?.flush()
    }
}
