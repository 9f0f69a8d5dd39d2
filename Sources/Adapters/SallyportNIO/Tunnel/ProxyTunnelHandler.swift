internal import HTTP1
public import HTTPTypes
public import Hostnames
public import NIOCore
internal import RequestFlow
public import Sallyport

/// Opens a tunnel through a proxy with CONNECT, and answers the proxy's challenges with any scheme.
///
/// Add it to a channel to the proxy, behind the TLS handler of an `https` proxy. It sends CONNECT when the channel is active. When
/// the tunnel is open, it completes its promise, passes on the bytes that came with the response, and removes itself. On
/// failure the promise gets a ``ProxyTunnelError``, and the channel closes.
///
/// There are two ways to use the tunnel. Add the handlers for the origin, for example TLS, behind this handler at once: what
/// they write is held until the tunnel is open, up to a bound. Or add them when the tunnel is open: in `configure`, before the
/// first byte from the origin arrives, or in a callback of the promise's future on the event loop.
public final class ProxyTunnelHandler: ChannelDuplexHandler, RemovableChannelHandler {
    /// Bytes of the proxy.
    public typealias InboundIn = ByteBuffer
    /// Bytes of the tunnel.
    public typealias InboundOut = ByteBuffer
    /// Bytes for the tunnel.
    public typealias OutboundIn = IOData
    /// Bytes for the proxy.
    public typealias OutboundOut = IOData

    enum Phase {
        /// The channel is not active yet.
        case idle
        /// Another request tries the password; if `challenge` is set, it is answered afterwards.
        case waiting(AttemptTurn, challenge: Response?)
        /// CONNECT is sent.
        case awaiting
        /// The body of a refused response is dropped before the next send.
        case draining
        /// The user configures the channel.
        case opening
        case open
        case closed
    }

    /// A response without its body, its fields for the driver, and the reason phrase of a refusal.
    typealias Response = (head: ResponseHead, fields: HTTPFields, reason: String)

    /// The TLS state of the channel to the proxy, with the same default as ``AuthenticationClientHandler/security``.
    public var security: ConnectionTraits.Security?

    let handlers: CurrentHandler
    let origin: Origin
    let proxy: Origin
    let options: ProxyTunnelOptions
    let fields: HTTPFields
    let connection = ConnectionNumber.next()
    let configure: (@Sendable (any Channel) -> EventLoopFuture<Void>)?
    var opened: EventLoopPromise<Void>?
    var continued: ContinuedTunnel?

    var context: ChannelHandlerContext?
    var phase = Phase.idle
    var running: RunningFlow?
    /// Has the bytes of the proxy that are not read yet.
    var reader: ResponseReader
    var persistence = ProxyPersistence()
    var writes = HeldWrites()
    var hasHeldRead = false
    var deadline: Scheduled<Void>?
    /// Ends the dropping of a refused response.
    var drainTimer: Scheduled<Void>?
    var wait: TurnWait?

    /// Makes a handler for one tunnel.
    ///
    /// - Parameters:
    ///   - handlers: the handler that decides.
    ///   - origin: the server at the end of the tunnel.
    ///   - proxy: the proxy.
    ///   - fields: more fields for CONNECT, for example `User-Agent`.
    ///   - options: the bounds.
    ///   - continuing: a tunnel that lost its connection, to go on with; `nil` for none.
    ///   - opened: completed when the tunnel is open, or cannot be opened. Without it, errors go through the pipeline.
    ///   - configure: adds handlers before the first byte of the tunnel is passed on; runs on the event loop.
    public init(
        _ handlers: CurrentHandler,
        to origin: Origin,
        through proxy: Origin,
        fields: HTTPFields = [:],
        options: ProxyTunnelOptions = ProxyTunnelOptions(),
        continuing: ContinuedTunnel? = nil,
        opened: EventLoopPromise<Void>? = nil,
        configure: (@Sendable (any Channel) -> EventLoopFuture<Void>)? = nil
    ) {
        self.handlers = handlers
        self.origin = origin
        self.proxy = proxy
        self.fields = fields
        self.options = options
        self.opened = opened
        self.configure = configure
        continued = continuing
        reader = ResponseReader(headBound: options.mostHeadBytes, interimBound: options.mostInterimResponses)
    }

    deinit { opened?.fail(ProxyTunnelError.handlerRemoved) }

    /// Starts the deadline, and sends CONNECT if the channel is active.
    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let time = options.deadline
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [unowned self] in
            fail(.deadlineExceeded(milliseconds: time.nanoseconds / 1_000_000))
        }
        if context.channel.isActive { start() }
    }

    /// Ends a tunnel that is not open.
    public func handlerRemoved(context: ChannelHandlerContext) {
        if !isOver { drop(ProxyTunnelError.handlerRemoved) }
        self.context = nil
    }

    /// Sends the first CONNECT, with an answer in advance where one was accepted before.
    public func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        start()
    }

    /// Takes bytes of the proxy.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .open: context.fireChannelRead(data)
        case .closed: return
        default:
            reader.append(unwrapInboundIn(data))
            process()
        }
    }

    /// Reads on until the tunnel is open.
    public func channelReadComplete(context: ChannelHandlerContext) {
        switch phase {
        case .awaiting, .draining: context.read()
        default: context.fireChannelReadComplete()
        }
    }

    /// Holds writes until the tunnel is open.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch phase {
        case .open: context.write(data, promise: promise)
        case .closed: promise?.fail(ProxyTunnelError.connectionClosed)
        default:
            writes.append(data, bytes: unwrapOutboundIn(data).readableBytes, promise)
            if writes.bytes > options.mostHeldBytes { fail(.tooMuchWaits(bound: options.mostHeldBytes)) }
        }
    }

    /// Holds the flush until the tunnel is open.
    public func flush(context: ChannelHandlerContext) {
        if isOver { context.flush() } else { writes.flush() }
    }

    /// Holds the user's read until the tunnel is open.
    public func read(context: ChannelHandlerContext) {
        switch phase {
        case .open, .closed, .idle: context.read()
        case .awaiting, .draining:
            hasHeldRead = true
            context.read()
        case .waiting, .opening: hasHeldRead = true
        }
    }

    /// Ends a tunnel that is not open.
    public func channelInactive(context: ChannelHandlerContext) {
        closedByPeer()
        context.fireChannelInactive()
    }

    /// Ends a tunnel whose proxy has closed its side before it is open.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed, case .opening = phase {
            // The origin has sent all that it had to say.
        } else if let event = event as? ChannelEvent, event == .inputClosed {
            closedByPeer()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Ends a tunnel that is not open. A connection that is reset is a closed one.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isOver, EndOfConnection.isMeant(by: error) { return closedByPeer() }
        if !isOver {
            drop(error)
            context.close(promise: nil)
        }
        context.fireErrorCaught(error)
    }

    /// Whether the proxy has challenged, on this connection or an earlier one.
    package var hasAnswered: Bool { running?.challenge != nil }

    /// Whether the tunnel is open or has failed.
    var isOver: Bool {
        switch phase {
        case .open, .closed: true
        default: false
        }
    }
}

@available(*, unavailable)
extension ProxyTunnelHandler: Sendable {}
