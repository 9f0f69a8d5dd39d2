public import NIOCore
public import NIOHTTP1
internal import RequestFlow
public import Sallyport

/// Authenticates the requests of one outbound HTTP/1.1 channel, at its origin and at a proxy that reads them.
///
/// Add it after NIO's client codec, whose decoder should forward informational responses:
/// ``NIOCore/ChannelPipeline/SynchronousOperations/addAuthenticatingHTTPClientHandlers(_:leftOverBytesStrategy:)`` adds all three.
/// Write requests and read responses as without it. A 401 or 407 that can be answered never arrives: the handler reads the
/// refused response to its end and sends the request again. Every response that arrives comes after an
/// ``AuthenticationOutcome``.
///
/// A request begins with the first flush after its head. What is written before that flush is known to the first send: a
/// body that has ended can be repeated, also without a `Content-Length`. A body that is longer than
/// ``AuthenticationClientOptions/mostRepeatableBytes``, or of unknown length, is sent once: the handler asks for
/// `100 Continue` before it sends it. If you write long bodies, wait for the promise of each write.
///
/// ``AuthenticationError/connectionNeeded(_:)`` says that the request goes on with a new connection.
///
/// The channel belongs to the accounts that answered on it. If a request needs another one, the handler asks for a new
/// connection.
public final class AuthenticationClientHandler: ChannelDuplexHandler, RemovableChannelHandler {
    /// Responses of the codec.
    public typealias InboundIn = HTTPClientResponsePart
    /// Responses for the user.
    public typealias InboundOut = HTTPClientResponsePart
    /// Requests of the user.
    public typealias OutboundIn = HTTPClientRequestPart
    /// Requests for the codec.
    public typealias OutboundOut = HTTPClientRequestPart

    /// What the handler does with the request at work.
    enum Phase {
        /// The head is not flushed yet.
        case gathering
        /// Nothing is sent; another request tries the password.
        case waiting(AttemptTurn)
        /// Somebody is asked for a credential: after a response that ended so, or before the request is sent.
        case asking(RequestOutcome?)
        /// The request is sent, and no final response has begun.
        ///
        /// - Parameter hasHeard: whether an interim response has come.
        case awaiting(hasHeard: Bool)
        /// A response has begun, and another request tries the password.
        case holding(AttemptTurn)
        /// The rest of a refused response is dropped before the next send.
        case draining
        /// The response goes to the user.
        case delivering
    }

    /// Where the body of the last send is.
    enum Gate {
        /// Its parts leave as the user writes them.
        case open
        /// It waits for `100 Continue`.
        case held
        /// The head has announced it, and it is not sent: the connection carries no other request.
        case cut
        /// It leaves, and the server may never read it: the connection carries no other request.
        case unread

        var letsPass: Bool {
            switch self {
            case .open, .unread: true
            case .held, .cut: false
            }
        }
    }

    /// What the channel can do.
    enum Mode {
        case working
        /// After 101: nothing is HTTP any more.
        case passing
        /// An error has ended it.
        case closed
    }

    /// The TLS state of the channel. Set it if the pipeline has TLS from another library than NIOSSL, or two layers of TLS. By
    /// default the leaf certificate of the channel's `NIOSSLHandler` counts, and without one: no TLS for an `http`
    /// peer, `unknownLeaf` for an `https` peer. Use it on the event loop only.
    public var security: ConnectionTraits.Security?

    let handlers: CurrentHandler
    /// Finds credentials that the profile does not have; `nil` for none.
    let authenticator: Authenticator?
    let options: AuthenticationClientOptions
    let route: RequestRoute
    /// `nil` without a proxy that reads the requests.
    var persistence: ProxyPersistence?
    var targets: RequestTargets
    /// What all requests have in common.
    let template: OutgoingRequest
    let connection = ConnectionNumber.next()
    var continued: ContinuedRequest?
    var context: ChannelHandlerContext?
    var mode = Mode.working

    /// The request at work.
    var current: PipelinedRequest?
    /// A request that has ended, to be used again.
    var spare: PipelinedRequest?
    /// The requests after it.
    var queue = CircularBuffer<PipelinedRequest>()
    var phase = Phase.gathering
    /// The last send of the request at work on this connection.
    var sending: RequestSending?
    /// How many requests were sent on this connection.
    var carried = 0
    var gate = Gate.open
    /// Whether the response at work has ended.
    var responseHasEnded = false
    /// Whether no queued request follows on the connection: it ends with the response at work, or its output is closed.
    var isLast = false
    /// The bytes of the refused response that were dropped or are held.
    var refusedBytes = 0
    /// The timer of the phase.
    var timer: Scheduled<Void>?
    /// The wait of the phase for another request's attempt.
    var wait: TurnWait?
    /// The question of the phase.
    var asking: CredentialWait?
    /// The accounts for which the connection is authenticated, if a scheme authenticates connections.
    var boundKey: PoolKey?
    var keptKey = KeptPoolKey()
    /// Whether this read event gave the user nothing, and the handler something.
    var hasSwallowed = false
    /// Whether a read of the user waits for a decision.
    var hasHeldRead = false

    /// Makes a handler for one channel.
    ///
    /// - Parameters:
    ///   - handlers: the handler that decides; each request uses the one in use when it begins.
    ///   - origin: the server of all requests of this channel.
    ///   - route: `.direct`, also inside a tunnel, or `.forwarded(by:)`. For CONNECT use ``ProxyTunnelHandler``.
    ///   - options: the bounds.
    ///   - continuing: a request that lost its connection, to go on with; `nil` for none.
    public convenience init(
        _ handlers: CurrentHandler,
        origin: Origin,
        route: RequestRoute = .direct,
        options: AuthenticationClientOptions = AuthenticationClientOptions(),
        continuing: ContinuedRequest? = nil
    ) {
        self.init(handlers, nil, origin, route, options, continuing)
    }

    /// The same with an authenticator, which finds credentials that the profile does not have.
    ///
    /// A request for which it finds one goes on with a new connection; see ``AuthenticationError/connectionNeeded(_:)``. Meanwhile its
    /// response is held, up to ``AuthenticationClientOptions/mostDrainedBytes``.
    public convenience init(
        _ authenticator: Authenticator,
        origin: Origin,
        route: RequestRoute = .direct,
        options: AuthenticationClientOptions = AuthenticationClientOptions(),
        continuing: ContinuedRequest? = nil
    ) {
        self.init(authenticator.current, authenticator, origin, route, options, continuing)
    }

    private init(
        _ handlers: CurrentHandler,
        _ authenticator: Authenticator?,
        _ origin: Origin,
        _ route: RequestRoute,
        _ options: AuthenticationClientOptions,
        _ continuing: ContinuedRequest?
    ) {
        if case .connect = route {
            preconditionFailure("AuthenticationClientHandler: use ProxyTunnelHandler for CONNECT")
        }
        (self.handlers, self.authenticator) = (handlers, authenticator)
        self.options = options
        self.route = route
        persistence = route == .direct ? nil : ProxyPersistence()
        targets = RequestTargets(origin, route)
        template = OutgoingRequest(origin: origin)
        continued = continuing
    }

    /// The same with a handler that is never replaced.
    public convenience init(
        _ handler: ChallengeHandler,
        origin: Origin,
        route: RequestRoute = .direct,
        options: AuthenticationClientOptions = AuthenticationClientOptions(),
        continuing: ContinuedRequest? = nil
    ) {
        self.init(CurrentHandler(handler), origin: origin, route: route, options: options, continuing: continuing)
    }

    /// Goes on with a request of another connection.
    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { goOnWithContinued() }
    }

    /// Goes on with a request of another connection.
    public func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        goOnWithContinued()
    }

    /// Ends the request at work if it is not at its end.
    public func handlerRemoved(context: ChannelHandlerContext) {
        if mode == .working, current != nil || !queue.isEmpty { drop(.handlerRemoved) }
        cancelTimer()
        self.context = nil
    }

    /// Takes a part of a request.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .passing: context.write(data, promise: promise)
        case .closed: promise?.fail(AuthenticationError.connectionClosed)
        case .working: wrote(unwrapOutboundIn(data), data, promise)
        }
    }

    /// Begins what was written.
    public func flush(context: ChannelHandlerContext) {
        if mode == .working { flushed() }
        context.flush()
    }

    /// Reads, unless a response waits for a decision.
    public func read(context: ChannelHandlerContext) {
        switch phase {
        case .holding where mode == .working, .asking(.some) where mode == .working: hasHeldRead = true
        default: context.read()
        }
    }

    /// Takes a part of a response.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch mode {
        case .passing: context.fireChannelRead(data)
        case .closed: return
        case .working: received(unwrapInboundIn(data), data)
        }
    }

    /// Reads on if the handler has taken all that came.
    public func channelReadComplete(context: ChannelHandlerContext) {
        // Not before, because bytes behind a refused response make its connection useless.
        if mode == .working { proceedIfReady() }
        context.fireChannelReadComplete()
        if mode == .working, gate == .unread, current == nil { return context.close(promise: nil) }
        guard hasSwallowed else { return }
        hasSwallowed = false
        if mode == .working { read(context: context) }
    }

    /// Ends a handshake whose peer has closed its side, and the request of a channel that has closed.
    public func channelInactive(context: ChannelHandlerContext) {
        if mode == .working { closed() }
        context.fireChannelInactive()
    }

    /// Ends a handshake whose peer has closed its side.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if mode == .working, let event = event as? ChannelEvent, event == .inputClosed { inputClosed() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes. After the output is closed, a challenge needs a new connection, and so do the requests that are queued.
    public func close(context: ChannelHandlerContext, mode closing: CloseMode, promise: EventLoopPromise<Void>?) {
        if closing == .output { isLast = true }
        context.close(mode: closing, promise: promise)
    }

    /// Passes the error on; in the middle of a handshake it ends the request. While a refused response is dropped it costs the connection
    /// alone. A reset before the response is an end like any other, so the request may go on with another connection.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if mode == .working, waitsForPeer, EndOfConnection.isMeant(by: error) {
            closed()
            return context.close(promise: nil)
        }
        if mode == .working, case .draining = phase { return dropped(.unusable) }
        context.fireErrorCaught(error)
        guard mode == .working, isInHandshake else { return }
        drop(.connectionClosed)
        context.close(promise: nil)
    }
}

extension AuthenticationClientHandler {
    /// The peer of the connection.
    var hop: Origin { if case .forwarded(let proxy) = route { proxy } else { targets.origin } }

    func cancelTimer() {
        timer?.cancel()
        timer = nil
        wait?.cancel()
        wait = nil
        asking = nil
    }

    func schedule(after time: TimeAmount, _ body: @escaping () -> Void) {
        cancelTimer()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(in: time, body)
    }
}

@available(*, unavailable)
extension AuthenticationClientHandler: Sendable {}
