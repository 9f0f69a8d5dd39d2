internal import NIOCore
internal import NIOHTTP1

/// The events of one connection: one request at a time, its response as head and stream.
///
/// All of it runs on the event loop of the channel.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    /// The head of a final response, and the stream of its body.
    struct Response: Sendable {
        let head: HTTPResponseHead
        let body: ResponseBody.Producer
        let end: ResponseEnd
    }

    /// A request that was sent.
    private struct Exchange {
        let response: EventLoopPromise<Response>
        /// Succeeds with whether the body may be sent, for `Expect: 100-continue`.
        let goOn: EventLoopPromise<Bool>?
        let method: HTTPMethod
        let end = ResponseEnd()
        var source: ResponseBody.Producer.Source?
        /// Whether the connection can carry another request after this one.
        var isReusable = true
    }

    private enum State {
        case idle
        case busy(Exchange)
        case closed
    }

    private var state = State.idle
    private var context: ChannelHandlerContext?
    private var number = 0
    private var hasSentWhole = false
    /// False while the reader of a body has enough.
    private var isReading = true
    var isIdle: Bool {
        if case .idle = state { return true }
        return false
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: The caller's side

    /// Expects the response to the request that is sent next.
    func begin(_ method: HTTPMethod, _ response: EventLoopPromise<Response>, goOn: EventLoopPromise<Bool>?) {
        guard case .idle = state, context?.channel.isActive == true else {
            goOn?.fail(ChannelError.ioOnClosedChannel)
            return response.fail(ChannelError.ioOnClosedChannel)
        }
        number += 1
        hasSentWhole = false
        state = .busy(Exchange(response: response, goOn: goOn, method: method))
    }

    /// The request was sent to its end.
    func sentWhole() { hasSentWhole = true }

    /// The reader of a body wants more.
    func resumeReading() { setReading(true) }

    /// The reader of a body has read it or left.
    func readerLeft(_ exchange: Int) {
        guard exchange == number, case .busy = state else { return }
        context?.close(promise: nil)
    }

    // MARK: The channel's side

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .busy(var exchange) = state else {
            // A response without a request.
            return context.close(promise: nil)
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if head.status.code < 200, head.status != .switchingProtocols {
                if head.status == .continue { exchange.goOn?.succeed(true) }
                return
            }
            receive(head, &exchange, context)
            state = .busy(exchange)
        case .body(let part):
            guard let source = exchange.source else { return }
            if case .stopProducing = source.yield(contentsOf: CollectionOfOne(part)) { setReading(false) }
        case .end:
            // Data that is still unsent would make the next request part of this one.
            end(exchange, isReusable: exchange.isReusable && hasSentWhole)
        }
    }

    private func receive(_ head: HTTPResponseHead, _ exchange: inout Exchange, _ context: ChannelHandlerContext) {
        exchange.goOn?.succeed(false)
        if head.status == .switchingProtocols || !head.isKeepAlive { exchange.isReusable = false }
        let new = ResponseBody.Producer.makeSequence(
            elementType: ByteBuffer.self,
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8),
            finishOnDeinit: true,
            delegate: BodyDelegate(self, exchange: number, on: context.eventLoop)
        )
        exchange.source = new.source
        exchange.response.succeed(Response(head: head, body: new.sequence, end: exchange.end))
    }

    private func end(_ exchange: Exchange, isReusable: Bool) {
        state = .idle
        setReading(true)
        // Before the reader knows, so that its next request finds the connection.
        exchange.end.ended(isReusable: isReusable)
        exchange.source?.finish()
        if !isReusable { context?.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    /// Ends the exchange because the connection is lost.
    func fail(_ error: any Error) {
        let last = state
        // First, because the calls below close the channel, which fails once more.
        state = .closed
        guard case .busy(let exchange) = last else { return }
        exchange.response.fail(error)
        exchange.goOn?.fail(error)
        exchange.source?.finish(error)
        exchange.end.ended(isReusable: false)
    }

    private func setReading(_ reads: Bool) {
        guard reads != isReading else { return }
        isReading = reads
        try? context?.channel.syncOptions?.setOption(.autoRead, value: reads)
        if reads { context?.read() }
    }
}
