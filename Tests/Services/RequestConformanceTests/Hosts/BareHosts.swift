import AllowedSites
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO
import SallyportRelay
import Synchronization

/// A NIO pipeline with NIO's codec: with ``AuthenticationClientHandler``, or as the client of a relay without it.
final class BareHost: RunningHost {
    private let world: World
    /// The relay's port.
    private let relay: Int?
    private let channel = Mutex<(any Channel)?>(nil)

    /// - Parameter relay: the port of a relay; `nil` for the handler.
    init(_ world: World, relay: Int? = nil) {
        self.world = world
        self.relay = relay
    }

    func send(_ request: RowRequest) async throws -> String {
        var continuing: ContinuedRequest?
        // A handler may ask for several connections in turn.
        for _ in 0..<5 {
            let answered = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: String.self)
            do {
                let channel = try await connection(continuing, ResponseCollector(answered))
                let isNew = continuing == nil
                return try await withTaskCancellationHandler {
                    if isNew { write(request, to: channel) }
                    return try await answered.futureResult.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
            } catch AuthenticationError.connectionNeeded(let request) {
                self.channel.withLock { $0 = nil }
                guard !Task.isCancelled else { throw FailedRequest(reason: "left") }
                continuing = request
            } catch {
                answered.fail(error)
                throw FailedRequest(reason: "\(error)")
            }
        }
        throw FailedRequest(reason: "too many connections")
    }

    private func write(_ request: RowRequest, to channel: any Channel) {
        let isAbsolute = relay != nil || world.route == .proxy
        let target = world.route == .tunnel ? "\(world.origin.host):443" : isAbsolute ? "\(world.origin)/" : "/"
        let method = world.route == .tunnel ? "CONNECT" : request.method
        var head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: target)
        head.headers.add(name: "Host", value: "\(world.origin.host):\(world.origin.port)")
        switch request.body {
        case .none: break
        case .kept(let count): head.headers.add(name: "Content-Length", value: "\(count)")
        case .once: head.headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if request.count > 0 {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(World.bytes(request.count))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    /// A connection with `collector` at its end: a continued request is sent before the connection is here.
    private func connection(
        _ continuing: ContinuedRequest?,
        _ collector: ResponseCollector
    ) async throws -> any Channel {
        if continuing == nil, let channel = channel.withLock({ $0 }), channel.isActive {
            try await channel.pipeline.addHandler(collector).get()
            return channel
        }
        let (world, relay) = (world, relay)
        let opened = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.hours(1))
            .connect(host: "127.0.0.1", port: relay ?? Int(world.address.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    guard relay == nil else {
                        let decoder = HTTPResponseDecoder(
                            leftOverBytesStrategy: .dropBytes,
                            informationalResponseStrategy: .forward
                        )
                        try pipeline.addHandlers([HTTPRequestEncoder(), ByteToMessageHandler(decoder), collector])
                        return channel
                    }
                    let handler = AuthenticationClientHandler(
                        world.current,
                        origin: world.origin,
                        route: world.route == .proxy ? .forwarded(by: world.address) : .direct,
                        continuing: continuing
                    )
                    try pipeline.addAuthenticatingHTTPClientHandlers(handler)
                    try pipeline.addHandler(collector)
                    return channel
                }
            }
        channel.withLock { $0 = opened }
        return opened
    }

    func shutDown() async { try? await channel.withLock { $0 }?.close() }
}

/// Reads one final response, and then leaves. One event loop uses it.
private final class ResponseCollector: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart

    private let answered: EventLoopPromise<String>
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    init(_ answered: EventLoopPromise<String>) { self.answered = answered }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): if head.status.code >= 200 || head.status.code == 101 { self.head = head }
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            // What the relay says by itself is no response of the server.
            if head.headers["Cache-Control"] == ["no-store"] {
                answered.fail(FailedRequest(reason: "\(head.status)"))
            } else {
                answered.succeed(World.result(Int(head.status.code), body))
            }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            if !head.isKeepAlive { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answered.fail(error) }

    func channelInactive(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }
}

/// `ProxyTunnelHandler`.
struct TunnelHost: RunningHost {
    private let world: World

    init(_ world: World) { self.world = world }

    func send(_ request: RowRequest) async throws -> String {
        let (current, origin, proxy) = (world.current, world.origin, world.address)
        var continuing: ContinuedTunnel?
        for _ in 0..<5 {
            let next = continuing
            let (channel, opened) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.hours(1))
                .connect(host: "127.0.0.1", port: Int(proxy.port)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let opened = channel.eventLoop.makePromise(of: Void.self)
                        var options = ProxyTunnelOptions()
                        options.deadline = .hours(1)
                        let tunnel = ProxyTunnelHandler(
                            current,
                            to: origin,
                            through: proxy,
                            options: options,
                            continuing: next,
                            opened: opened
                        )
                        try channel.pipeline.syncOperations.addHandler(tunnel)
                        return (channel, opened.futureResult)
                    }
                }
            defer { channel.close(promise: nil) }
            do {
                try await withTaskCancellationHandler {
                    try await opened.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
                return "200"
            } catch ProxyTunnelError.connectionNeeded(let tunnel) {
                continuing = tunnel
            } catch ProxyTunnelError.refused(let status, _, _) {
                return "\(status)"
            } catch {
                throw FailedRequest(reason: "\(error)")
            }
        }
        throw FailedRequest(reason: "too many connections")
    }

    func shutDown() async {}
}

/// A relay that also answers the challenges of servers.
struct RelayHost: RunningHost {
    private let relay: Relay
    private let client: BareHost

    init(_ world: World) async throws {
        var settings = RelaySettings()
        if world.route == .origin {
            settings.chooser = DirectChooser()
            settings.destinations.allowed = SiteTrie(
                compiling: try SiteDialect.noProxy.read("127.0.0.0/8", name: "test").list
            )
        } else {
            settings.parents = [RelayParent(world.address)]
        }
        settings.answersServers = true
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        settings.limits.connecting = .minutes(5)
        settings.limits.head = .minutes(5)
        settings.limits.handshake = .minutes(5)
        settings.limits.waiting = .minutes(5)
        settings.limits.continuing = .minutes(5)
        settings.limits.idleParent = .minutes(5)
        settings.limits.grace = .milliseconds(100)
        relay = Relay(world.current, settings)
        let addresses = try await relay.start()
        client = BareHost(world, relay: addresses.first?.port)
    }

    func send(_ request: RowRequest) async throws -> String { try await client.send(request) }

    func shutDown() async {
        await client.shutDown()
        await relay.stop()
    }
}

/// No proxy for any request.
private struct DirectChooser: ProxyChooser {
    func known(for server: Origin) -> [RelayRoute]? { [.direct] }
    func choices(for server: Origin) async throws -> [RelayRoute] { [.direct] }
}
