public import ClientAuthentication
internal import HTTPAuthentication
internal import HTTPTypes
public import NIOCore
public import NIOHTTP1
internal import NIOSSL

/// Authenticates the requests of one inbound HTTP/1.1 channel, for a server or a proxy.
///
/// Add it behind NIO's server codec with ``NIOCore/ChannelPipeline/SynchronousOperations/addServerAuthentication(_:)``. Requests
/// whose client is not known get 401 or 407 and never arrive. Every request head that arrives comes after
/// ``AuthenticationServerEvent/accepted(_:)``, and without the field of the client's answer, so that a proxy does not
/// forward it.
///
/// A request that is being decided holds the ones after it, and the channel reads no more meanwhile. The next request is read
/// when the response before it has ended.
///
/// NIO's decoder reads nothing after a CONNECT or an upgrade, also if that is refused. After a refused CONNECT, and after a response
/// other than 2xx or 101, the channel has another `ByteToMessageHandler<HTTPRequestDecoder>`. A proxy that removes the codec for its
/// tunnel finds the decoder by its type. After a refused upgrade the connection is closed, because NIO's upgrade handlers know
/// the first decoder alone; only an NTLM handshake goes on.
public final class AuthenticationServerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    /// Requests of the codec.
    public typealias InboundIn = HTTPServerRequestPart
    /// Requests for the user.
    public typealias InboundOut = HTTPServerRequestPart
    /// Responses of the user.
    public typealias OutboundIn = HTTPServerResponsePart
    /// Responses for the codec.
    public typealias OutboundOut = HTTPServerResponsePart

    /// What the handler does with the request at work.
    enum Phase {
        /// The next part is a head.
        case idle
        /// The directory is asked.
        case asking(HTTPRequestHead, ClientQuestion)
        /// The request passes, and its response is awaited.
        case serving
        /// The body is dropped, and the refusal is sent.
        case refusing(RefusedRequest)
        /// Another decoder takes the place of one that reads no more. Then this request is refused, if any.
        case renewing(RefusedRequest?)
        /// After an upgrade or CONNECT: nothing is HTTP any more.
        case passing
        /// Nothing is taken any more.
        case closed
    }

    let authenticator: ClientAuthenticator
    let options: AuthenticationServerOptions
    /// The client of the request that arrived last. Use it on the event loop only.
    public internal(set) var client: AuthenticatedClientName?

    var connection: ClientConnection?
    var context: ChannelHandlerContext?
    var phase = Phase.idle
    /// What came after a request that is not finished.
    var held = CircularBuffer<HTTPServerRequestPart>()
    var isReceivingHeld = false
    var hasHeldRead = false
    var hasHeldEndOfInput = false
    /// Of the request that is served.
    var requestHasEnded = false
    var responseHasEnded = false
    var isConnect = false
    var endsDecoding = false
    /// The fields that the response gets.
    var proof = HTTPFields()
    /// The call of the directory, and the end of the patience with it.
    var call: Task<Void, Never>?
    var timer: Scheduled<Void>?
    /// Tells a late reply from one to this question.
    var questionNumber = 0

    /// Makes a handler for one channel.
    ///
    /// - Parameters:
    ///   - authenticator: shared by all channels of the server.
    ///   - options: the bounds.
    public init(
        _ authenticator: ClientAuthenticator,
        options: AuthenticationServerOptions = AuthenticationServerOptions()
    ) {
        self.authenticator = authenticator
        self.options = options
    }

    /// Remembers the context.
    public func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Ends the call of the directory. Held requests are dropped, because they are not authenticated.
    public func handlerRemoved(context: ChannelHandlerContext) {
        let hasHeldRead = hasHeldRead
        end()
        self.context = nil
        // The channel would never read again, and never see its end.
        if hasHeldRead { context.read() }
    }

    /// Takes a part of a request.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .passing: context.fireChannelRead(data)
        case .closed: return
        default:
            held.append(unwrapInboundIn(data))
            receiveHeld()
        }
    }

    /// Reads, unless a request waits for a decision or a response.
    public func read(context: ChannelHandlerContext) {
        if held.isEmpty, !isAsking { context.read() } else { hasHeldRead = true }
    }

    /// Takes a part of a response.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .serving = phase else {
            context.write(data, promise: promise)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            let isFinal = !(100..<200).contains(head.status.code)
            if isFinal {
                for field in proof { head.headers.replaceOrAdd(name: field.name.rawName, value: field.value) }
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            let opensTunnel = isConnect && (200..<300).contains(head.status.code)
            if head.status == .switchingProtocols || opensTunnel { passAll() }
        case .body: context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            responseHasEnded = true
            finishIfReady()
        }
    }

    /// Holds the end of the input behind the requests that came before it.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? ChannelEvent, closed == .inputClosed, !held.isEmpty || isAsking {
            hasHeldEndOfInput = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Ends the call of the directory.
    public func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    var isAsking: Bool {
        if case .asking = phase { return true }
        return false
    }
}

extension AuthenticationServerHandler {
    /// Receives the held parts, until something has to be awaited.
    func receiveHeld() {
        // A response that ends lets the pipeline deliver the next request before the write returns.
        guard !isReceivingHeld else { return }
        isReceivingHeld = true
        while let part = held.first, !isBlocked(part) {
            held.removeFirst()
            receivePart(part)
        }
        isReceivingHeld = false
        guard held.isEmpty, !isAsking else { return }
        if hasHeldEndOfInput {
            hasHeldEndOfInput = false
            // What came before it.
            readEventHasEnded()
            context?.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if hasHeldRead {
            hasHeldRead = false
            context?.read()
        }
    }

    private func isBlocked(_ part: HTTPServerRequestPart) -> Bool {
        switch (phase, part) {
        case (.asking, _), (.renewing, _), (.serving, .head): true
        default: false
        }
    }

    private func receivePart(_ part: HTTPServerRequestPart) {
        switch (phase, part) {
        case (.idle, .head(let head)): decide(head)
        case (.refusing(let refused), _): drop(part, refused)
        case (.closed, _), (.idle, _): return
        default:
            context?.fireChannelRead(wrapInboundOut(withoutAnswer(part)))
            if case .end = part, case .serving = phase {
                requestHasEnded = true
                finishIfReady()
            }
        }
    }

    /// A proxy must not forward an answer among the trailers either.
    private func withoutAnswer(_ part: HTTPServerRequestPart) -> HTTPServerRequestPart {
        guard case .end(var trailers?) = part else { return part }
        trailers.remove(name: authenticator.options.party.answerField.rawName)
        return .end(trailers)
    }

    /// Goes on with the next request when this one and its response have ended.
    func finishIfReady() {
        guard requestHasEnded, responseHasEnded else { return }
        if endsDecoding, renewDecoder(nil) { return }
        phase = .idle
        guard !held.isEmpty else { return receiveHeld() }
        receiveHeld()
        readEventHasEnded()
    }

    /// After an upgrade or CONNECT everything passes as it is.
    func passAll() {
        phase = .passing
        while let part = held.popFirst() { context?.fireChannelRead(wrapInboundOut(part)) }
        receiveHeld()
        readEventHasEnded()
    }

    /// After what was passed on when no bytes came: handlers such as that of `NIOAsyncChannel` keep all parts until a read event ends.
    func readEventHasEnded() { context?.fireChannelReadComplete() }

    func end() {
        phase = .closed
        hasHeldRead = false
        held.removeAll()
        call?.cancel()
        call = nil
        timer?.cancel()
        timer = nil
    }
}

@available(*, unavailable)
extension AuthenticationServerHandler: Sendable {}
