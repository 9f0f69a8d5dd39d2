internal import HTTP1
internal import NIOCore

/// Passes the bodies of requests on.
extension ClientConnection {
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
            leaveUpstream()
            if exchange.responseHasBegun { abort() } else { refuse(.defect(error)) }
        }
    }
}
