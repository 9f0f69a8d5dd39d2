import LiveServers
import MatrixClients
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO
import Synchronization

/// A NIO pipeline with NIO's codec: with ``AuthenticationClientHandler``, or as the client of a relay without it.
final class HandlerHost: Sendable {
    private let world: World
    /// The relay's port.
    private let relay: Int?
    /// The connection that no request uses.
    private let idle = Mutex<(any Channel)?>(nil)

    /// - Parameter relay: the port of a relay; `nil` for the handler.
    init(_ world: World, relay: Int? = nil) {
        self.world = world
        self.relay = relay
    }

    func send(_ request: MatrixRequest) async throws -> MatrixReply {
        var continuing: ContinuedRequest?
        // A handler may ask for several connections in turn.
        for _ in 0..<World.mostConnections {
            let answered = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: MatrixReply.self)
            do {
                let channel = try await connection(continuing, answered)
                defer { if channel.isActive { idle.withLock { $0 = channel } } }
                let isNew = continuing == nil
                return try await withTaskCancellationHandler {
                    if isNew { write(request, to: channel) }
                    return try await answered.futureResult.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
            } catch AuthenticationError.connectionNeeded(let request) {
                try Task.checkCancellation()
                continuing = request
            } catch {
                answered.fail(error)
                throw error
            }
        }
        throw TooManyConnections()
    }

    private func write(_ request: MatrixRequest, to channel: any Channel) {
        let isAbsolute = relay != nil || world.route == .proxy
        let target = world.route == .tunnel ? "\(world.origin.host):443" : isAbsolute ? request.url : request.target
        let method = world.route == .tunnel ? .CONNECT : request.method
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: target)
        head.headers.add(name: "Host", value: "\(world.origin.host):\(world.origin.port)")
        switch request.body {
        case .none: break
        case .kept: head.headers.add(name: "Content-Length", value: "\(request.bytes.readableBytes)")
        case .once: head.headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if request.body != .none {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(request.bytes)), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    /// A connection whose next response completes `answered`. It reads from the begin, because a continued request is sent at once.
    private func connection(
        _ continuing: ContinuedRequest?,
        _ answered: EventLoopPromise<MatrixReply>
    ) async throws -> any Channel {
        if continuing == nil, let channel = idle.withLock({ $0.take() }), channel.isActive {
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(ResponseCollector(answered))
            }.get()
            return channel
        }
        let (world, relay) = (world, relay)
        let opened = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.patient)
            .connect(host: "127.0.0.1", port: relay ?? Int(world.address.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if relay == nil {
                        try pipeline.addAuthenticatingHTTPClientHandlers(Self.handler(of: world, continuing))
                    } else {
                        let decoder = HTTPResponseDecoder(
                            leftOverBytesStrategy: .dropBytes,
                            informationalResponseStrategy: .forward
                        )
                        try pipeline.addHandlers([HTTPRequestEncoder(), ByteToMessageHandler(decoder)])
                    }
                    try pipeline.addHandler(ResponseCollector(answered))
                    return channel
                }
            }
        return opened
    }

    private static func handler(of world: World, _ continuing: ContinuedRequest?) -> AuthenticationClientHandler {
        let route: RequestRoute = world.route == .proxy ? .forwarded(by: world.address) : .direct
        guard let authenticator = world.authenticator else {
            return AuthenticationClientHandler(
                world.current,
                origin: world.origin,
                route: route,
                continuing: continuing
            )
        }
        return AuthenticationClientHandler(authenticator, origin: world.origin, route: route, continuing: continuing)
    }

    func shutDown() async { try? await idle.withLock { $0.take() }?.close() }
}

/// Reads one final response, and then leaves.
private final class ResponseCollector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let answered: EventLoopPromise<MatrixReply>
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    init(_ answered: EventLoopPromise<MatrixReply>) { self.answered = answered }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): if head.status.code >= 200 || head.status == .switchingProtocols { self.head = head }
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            // Of the relay itself. No response of a row has this field.
            if head.headers["Cache-Control"] == ["no-store"] {
                answered.fail(RefusedByRelay(status: head.status))
            } else {
                answered.succeed(MatrixReply(status: Int(head.status.code), text: String(buffer: body)))
            }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            if !head.isKeepAlive { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answered.fail(error) }

    func channelInactive(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }

    /// A handler that joins between the close of a channel and the end of its pipeline hears of neither.
    func handlerRemoved(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }
}

/// The relay refused the request.
private struct RefusedByRelay: Error {
    let status: HTTPResponseStatus
}
