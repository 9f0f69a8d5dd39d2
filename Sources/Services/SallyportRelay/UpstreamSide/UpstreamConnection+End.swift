internal import HTTP1
internal import NIOCore
internal import SallyportNIO

/// The end of the connection.
extension UpstreamConnection {
    /// Ends the connection, without telling the client.
    func close() {
        guard let context else { return pool.closed(self) }
        forgetRequest()
        state = .closed
        context.close(promise: nil)
        pool.closed(self)
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
        if case .tunnel(let end) = state { return end.tunnelStalled() }
        if let request { return request.upstreamStalled(self) }
        noteUnreadHead()
        settle(unreadStatus == nil ? .absent : .unread)
        close()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        reuse = .inputClosed
        switch state {
        case .tunnel(let end): end.finishWriting()
        case .closed: break
        default: lost(isClean: true)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        reuse = .inputClosed
        if case .closed = state {} else { lost(isClean: false) }
        pool.closed(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is TLSError { tlsFailure = error }
        context.close(promise: nil)
    }

    /// - Parameter isClean: whether the parent has said that it sends nothing more.
    private func lost(isClean: Bool) {
        let request = request
        switch state {
        case .idle, .pooled, .closed: close()
        case .body where isClean && body.endsWithConnection && request != nil:
            state = .idle
            body = BodyReader(.none)
            request?.responseEnded(self)
        case .tunnel(let end):
            close()
            end.tunnelEnded()
        case .head, .body, .draining:
            noteUnreadHead()
            settle(.unread)
            close()
            request?.upstreamLost(self)
        }
    }
}
