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

    /// Writes the requests one behind the other, and returns their replies.
    func send(_ requests: [MatrixRequest]) async throws -> [MatrixReply] {
        var continuing: ContinuedRequest?
        var replies: [MatrixReply] = []
        // A handler may ask for several connections in turn.
        for _ in 0..<World.mostConnections {
            let answered = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: [MatrixReply].self)
            let collector = Collecting(answered, replies, of: requests.count)
            do {
                let channel = try await connection(continuing, collector)
                defer { if channel.isActive { idle.withLock { $0 = channel } } }
                let isNew = continuing == nil
                return try await withTaskCancellationHandler {
                    if isNew { try await write(requests, to: channel) }
                    return try await answered.futureResult.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
            } catch let end as Interrupted {
                try Task.checkCancellation()
                guard case AuthenticationError.connectionNeeded(let request) = end.cause else { throw end.cause }
                (continuing, replies) = (request, end.replies)
            } catch {
                answered.fail(error)
                throw error
            }
        }
        throw TooManyConnections()
    }

    /// In one turn of the event loop, so that nothing has come back before the last one is written.
    private func write(_ requests: [MatrixRequest], to channel: any Channel) async throws {
        try await channel.eventLoop.submit { for request in requests { self.write(request, to: channel) } }.get()
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

    /// A connection whose next responses are collected. It reads from the begin, because a continued request is sent at once.
    private func connection(
        _ continuing: ContinuedRequest?,
        _ collecting: Collecting
    ) async throws -> any Channel {
        if continuing == nil, let channel = idle.withLock({ $0.take() }), channel.isActive {
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(ResponseCollector(collecting))
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
                    try pipeline.addHandler(ResponseCollector(collecting))
                    return channel
                }
            }
        return opened
    }

    private static func handler(of world: World, _ continuing: ContinuedRequest?) -> AuthenticationClientHandler {
        let route: RequestRoute = world.route == .proxy ? .forwarded(by: world.address) : .direct
        var options = AuthenticationClientOptions()
        (options.drainTime, options.continueTime) = (world.time, world.time)
        guard let authenticator = world.authenticator else {
            return AuthenticationClientHandler(
                world.current,
                origin: world.origin,
                route: route,
                options: options,
                continuing: continuing
            )
        }
        return AuthenticationClientHandler(
            authenticator,
            origin: world.origin,
            route: route,
            options: options,
            continuing: continuing
        )
    }

    func shutDown() async { try? await idle.withLock { $0.take() }?.close() }
}

/// Replies that came before their connection ended.
private struct Interrupted: Error {
    let replies: [MatrixReply]
    let cause: any Error
}

/// The replies to requests, over the connections that they need.
private struct Collecting {
    private let answered: EventLoopPromise<[MatrixReply]>
    private let count: Int
    private(set) var replies: [MatrixReply]

    init(_ answered: EventLoopPromise<[MatrixReply]>, _ replies: [MatrixReply], of count: Int) {
        (self.answered, self.replies, self.count) = (answered, replies, count)
    }

    /// Returns whether it was the last.
    mutating func add(_ reply: MatrixReply) -> Bool {
        replies.append(reply)
        guard replies.count == count else { return false }
        answered.succeed(replies)
        return true
    }

    func fail(_ error: any Error) { answered.fail(Interrupted(replies: replies, cause: error)) }
}

/// Reads the final responses, and then leaves.
private final class ResponseCollector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var collecting: Collecting
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    init(_ collecting: Collecting) { self.collecting = collecting }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): if head.status.code >= 200 || head.status == .switchingProtocols { self.head = head }
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            var isLast = true
            // Of the relay itself. No response of a row has this field.
            if head.headers["Cache-Control"] == ["no-store"] {
                collecting.fail(RefusedByRelay(status: head.status))
            } else {
                isLast = collecting.add(MatrixReply(status: Int(head.status.code), text: String(buffer: body)))
            }
            (self.head, body) = (nil, ByteBuffer())
            if isLast { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
            if isLast, !head.isKeepAlive { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { collecting.fail(error) }

    func channelInactive(context: ChannelHandlerContext) { collecting.fail(ChannelError.eof) }

    /// A handler that joins between the close of a channel and the end of its pipeline hears of neither.
    func handlerRemoved(context: ChannelHandlerContext) { collecting.fail(ChannelError.eof) }
}

/// The relay refused the request.
private struct RefusedByRelay: Error {
    let status: HTTPResponseStatus
}
