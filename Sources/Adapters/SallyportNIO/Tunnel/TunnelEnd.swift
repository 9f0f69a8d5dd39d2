internal import NIOCore

/// One end of a tunnel: passes the bytes of its channel to the other end, and reads no more than that one takes. Until it is joined, it holds
/// what comes.
///
/// Its channel does not read by itself. Each of the two uses the channel of the other, never its handler, because the channels may have
/// different event loops.
final class TunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Output {
        /// Not joined yet. The peer may have ended meanwhile.
        case held([ByteBuffer], hasEnded: Bool)
        case joined(any Channel)
        case closed
    }

    private var output = Output.held([], hasEnded: false)
    /// The last write of this read event.
    private var written: EventLoopFuture<Void>?
    private var context: ChannelHandlerContext?

    /// The end on `channel`, which is added if there is none. On the event loop of the channel.
    static func on(_ channel: any Channel) throws -> TunnelEnd {
        let pipeline = channel.pipeline.syncOperations
        if let end = try? pipeline.handler(type: TunnelEnd.self) { return end }
        try channel.syncOptions?.setOption(.autoRead, value: false)
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        let end = TunnelEnd()
        try pipeline.addHandler(end)
        return end
    }

    /// Passes on what was held, and reads from now on.
    func join(_ other: any Channel) {
        guard case .held(let parts, let hasEnded) = output else { return other.close(promise: nil) }
        output = .joined(other)
        for bytes in parts { written = other.write(bytes) }
        if written != nil { pass() } else { context?.read() }
        if hasEnded { other.close(mode: .output, promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        close()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch output {
        case .held(let parts, let hasEnded): output = .held(parts + [bytes], hasEnded: hasEnded)
        case .joined(let other): written = other.write(bytes)
        case .closed: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { if written != nil { pass() } }

    /// Flushes, and reads on when the other end has taken all.
    private func pass() {
        guard case .joined(let other) = output, let context, let last = written.take() else { return }
        other.flush()
        let end = NIOLoopBound(self, eventLoop: context.eventLoop)
        last.hop(to: context.eventLoop).whenComplete { result in
            if case .failure = result { end.value.close() } else { end.value.context?.read() }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        switch output {
        case .held(let parts, _): output = .held(parts, hasEnded: true)
        case .joined(let other): other.close(mode: .output, promise: nil)
        case .closed: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    /// Ends both channels.
    private func close() {
        if case .joined(let other) = output { other.close(promise: nil) }
        output = .closed
        context?.close(promise: nil)
    }
}

@available(*, unavailable)
extension TunnelEnd: Sendable {}
