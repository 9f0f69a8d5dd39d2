internal import HTTP1
internal import NIOCore

/// Nothing is read faster than it can be passed on.
extension ClientConnection {
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
        if holdsReads { pace.holdRead() } else { context.read() }
    }

    func resumeReads() {
        if pace.takeRead(unless: holdsReads) { context?.read() }
    }
}
