internal import NIOCore

/// One end of a tunnel: passes the bytes of its channel to the other end, and reads no more than that one takes. Until it is joined, it holds
/// what comes.
///
/// Its channel does not read by itself. Each of the two uses the channel of the other, never its handler, because the channels may have
/// different event loops.
final class TunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Output {
        /// Not joined yet, with what has come.
        case held([ByteBuffer], Ending)
        case joined(any Channel)
        case closed
    }

    /// How far the peer has ended.
    private enum Ending { case open, output, all }

    private var output = Output.held([], .open)
    /// The last write to the other end.
    private var written: EventLoopFuture<Void>?
    private var context: ChannelHandlerContext?
    private let loop: any EventLoop

    /// Adds an end to `channel`. On its event loop.
    init(on channel: any Channel) throws {
        loop = channel.eventLoop
        try channel.syncOptions?.setOption(.autoRead, value: false)
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try channel.pipeline.syncOperations.addHandler(self)
    }

    /// Passes on what was held, and reads from now on.
    func join(_ other: any Channel) {
        guard case .held(let parts, let ending) = output else { return other.close(promise: nil) }
        output = .joined(other)
        for bytes in parts { written = other.write(bytes) }
        if ending == .open { parts.isEmpty ? context?.read() : pass() } else { end(ending) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch output {
        case .held(let parts, let ending): output = .held(parts + [bytes], ending)
        case .joined(let other): written = other.write(bytes)
        case .closed: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { pass() }

    /// Flushes, and reads on when the other end has taken all.
    private func pass() {
        guard case .joined(let other) = output, let written else { return }
        other.flush()
        let end = NIOLoopBound(self, eventLoop: loop)
        written.hop(to: loop).whenComplete { result in
            // The other end closes this channel when its own last write is done.
            if case .failure = result { Self.close(other) } else { end.value.context?.read() }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        end(.output)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.all)
        context.fireChannelInactive()
    }

    /// An end without the last message of TLS is an end: what came before it still goes to the other side.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !EndOfConnection.isMeant(by: error) { context.close(promise: nil) }
    }

    /// Ends the other side when it has taken all, because a channel whose input has ended drops its writes when it is closed.
    private func end(_ ending: Ending) {
        switch output {
        case .held(let parts, _): output = .held(parts, ending)
        case .closed: break
        case .joined(let other):
            let written = written ?? loop.makeSucceededVoidFuture()
            other.flush()
            guard ending == .all else {
                return written.whenComplete { _ in other.close(mode: .output, promise: nil) }
            }
            output = .closed
            written.whenComplete { _ in Self.close(other) }
            let limit = other.eventLoop.scheduleTask(in: Self.farewell) { Self.close(other) }
            other.closeFuture.whenComplete { _ in limit.cancel() }
        }
    }

    /// How long a side that does not read may hold up the end of a tunnel whose other side is gone.
    private static let farewell = TimeAmount.minutes(5)

    /// Closes both directions. A TLS handler that may be half closed would wait for its time limit in vain.
    static func close(_ channel: any Channel) {
        channel.setOption(.allowRemoteHalfClosure, value: false).whenComplete { _ in channel.close(promise: nil) }
    }
}

@available(*, unavailable)
extension TunnelEnd: Sendable {}
