internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import SallyportNIO

/// The events of one connection: one request at a time, its response as head and stream.
///
/// All of it runs on the event loop of the channel.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The head of a final response, and the stream of its body.
    struct Response: Sendable {
        let head: HTTPResponseHead
        /// The fields with their original bytes, for the driver.
        let fields: HTTPFields
        let body: ResponseBody.Producer
        let end: ResponseEnd
        /// Whether the connection may carry another request afterwards: the head says so, and the request was sent to its end.
        let keepsConnection: Bool
    }

    /// A request that was sent.
    private struct Exchange {
        let response: EventLoopPromise<Response>
        /// Succeeds with whether the body may be sent, for `Expect: 100-continue`.
        let goOn: EventLoopPromise<Bool>?
        let end = ResponseEnd()
        var source: ResponseBody.Producer.Source?
        /// Whether the connection can carry another request after this one.
        var isReusable = true
    }

    private enum State {
        case idle
        case busy(Exchange)
        /// The reason is that of the party, if it gave one.
        case closed(any Error)
    }

    /// What the head of the next request has besides the encoder's fields.
    let originalFields = OriginalFields()
    private var state = State.idle
    private var reader = ResponseReader()
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
    ///
    /// - Parameters:
    ///   - method: its method.
    ///   - fields: its fields whose values are not UTF-8.
    ///   - response: takes the head of the response.
    ///   - goOn: takes whether the body may be sent.
    /// - Returns: whether the request may be sent. Otherwise the connection has ended, and the promises fail with ``NotSent``.
    func begin(
        _ method: HTTPMethod,
        _ fields: [HTTPField],
        _ response: EventLoopPromise<Response>,
        goOn: EventLoopPromise<Bool>?
    ) -> Bool {
        guard case .idle = state, context?.channel.isActive == true else {
            let cause: (any Error)? = if case .closed(let cause) = state { cause } else { nil }
            let unsent = NotSent(cause: cause)
            goOn?.fail(unsent)
            response.fail(unsent)
            return false
        }
        number += 1
        hasSentWhole = false
        originalFields.due = fields
        reader.begin(RequestHead.Method(method))
        state = .busy(Exchange(response: response, goOn: goOn))
        return true
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
        reader.append(unwrapInboundIn(data))
        do throws(HeadDefect) {
            while let part = try reader.next() {
                guard case .busy(var exchange) = state else { return }
                receivePart(part, &exchange, context)
            }
        } catch {
            errorCaught(context: context, error: ResponseDefect(error))
        }
    }

    private func receivePart(_ part: ResponseReader.Part, _ exchange: inout Exchange, _ context: ChannelHandlerContext)
    {
        switch part {
        case .interim(let status): if status == 100 { exchange.goOn?.succeed(true) }
        case .head(let head, let bytes):
            receive(head, bytes, &exchange, context)
            state = .busy(exchange)
        case .data(let data):
            guard let source = exchange.source else { return }
            if case .stopProducing = source.yield(contentsOf: CollectionOfOne(data)) { setReading(false) }
        case .end:
            // Data that is still unsent would make the next request part of this one.
            end(exchange, isReusable: exchange.isReusable && hasSentWhole && reader.rest.readableBytes == 0)
        }
    }

    private func receive(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        _ exchange: inout Exchange,
        _ context: ChannelHandlerContext
    ) {
        exchange.goOn?.succeed(false)
        if head.status == 101 || !head.isKeptAlive { exchange.isReusable = false }
        let new = ResponseBody.Producer.makeSequence(
            elementType: ByteBuffer.self,
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8),
            finishOnDeinit: true,
            delegate: BodyDelegate(self, exchange: number, on: context.eventLoop)
        )
        exchange.source = new.source
        exchange.response.succeed(
            Response(
                head: HTTPResponseHead(head, bytes),
                fields: head.allFields(of: bytes),
                body: new.sequence,
                end: exchange.end,
                keepsConnection: exchange.isReusable && hasSentWhole
            )
        )
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
        if case .busy(let exchange) = state, case .end? = reader.connectionEnded() { end(exchange, isReusable: false) }
        fail(reader.hasBegun ? CutResponse() : ChannelError.eof)
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
        if case .closed = last { return }
        state = .closed(error)
        guard case .busy(let exchange) = last else { return }
        exchange.response.fail(reader.unreadStatus.map { UnreadResponse(status: $0, cause: error) } ?? error)
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

extension HTTPResponseHead {
    /// The head in `bytes`.
    fileprivate init(_ head: ResponseHead, _ bytes: ByteBuffer) {
        let start = bytes.readerIndex
        func text(_ range: Range<Int>) -> String {
            bytes.getString(at: start + range.lowerBound, length: range.count) ?? ""
        }
        var headers = HTTPHeaders()
        head.forEachLine(in: bytes.readableBytesUInt8Span) { headers.add(name: text($0.name), value: text($0.value)) }
        let reason = text(head.statusAndReason).dropFirst(3).drop { $0 == " " }
        self.init(
            version: head.isHTTP10 ? .http1_0 : .http1_1,
            status: HTTPResponseStatus(statusCode: head.status, reasonPhrase: String(reason.dropLast())),
            headers: headers
        )
    }
}

/// The connection was closed before a byte of the request left.
struct NotSent: Error {
    /// Why it was closed; `nil` if the connection does not know.
    let cause: (any Error)?
}

/// The head of a response cannot be read, or its end has not come, but its status has.
struct UnreadResponse: Error {
    let status: Int
    let cause: any Error
}

/// The connection was closed after a part of the response.
struct CutResponse: Error {}
