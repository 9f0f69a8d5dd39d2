internal import HTTP1
internal import Hostnames
public import NIOCore
public import NIOPosix
internal import SallyportNIO
public import ServiceLifecycle
internal import ServiceSockets
internal import Synchronization

/// Answers `/metrics` and `/healthz` about a relay, on an address of loopback of its own.
public final class OperationServer: Service {
    /// The most clients at a time; others wait until they are accepted.
    static let mostClients = 64
    /// How long a client may take for its request, and for the response.
    static let limit = TimeAmount.seconds(5)

    private let relay: Relay
    private let address: ListenAddress
    private let certificateEnds: @Sendable () -> [Int64]
    private let group: any EventLoopGroup
    private let channel = Mutex<(any Channel)?>(nil)

    /// Makes a server, which does not listen yet.
    ///
    /// - Parameters:
    ///   - relay: the relay.
    ///   - address: where it listens.
    ///   - certificateEnds: the last seconds in which the relay's client certificates are valid.
    ///   - group: where it runs.
    public init(
        of relay: Relay,
        at address: ListenAddress,
        certificateEnds: @escaping @Sendable () -> [Int64] = { [] },
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) {
        (self.relay, self.address, self.certificateEnds, self.group) = (relay, address, certificateEnds, group)
    }

    /// Answers until the service group shuts down, or the task is cancelled.
    public func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await stop()
    }

    /// Listens, and returns the address.
    ///
    /// - Throws: ``RelayError``.
    @discardableResult
    public func start() async throws -> SocketAddress? {
        if let channel = channel.withLock({ $0 }) { return channel.localAddress }
        guard address.isLoopback else { throw RelayError.notLoopback(address) }
        guard !address.isSecure else { throw RelayError.noCertificate(address) }
        do {
            let made = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let places = ClientPlaces(most: Self.mostClients, perAddress: Self.mostClients)
                        let gate = AcceptGate(places, countsAddresses: false, refused: { _ in }, paused: { _ in })
                        try channel.pipeline.syncOperations.addHandler(gate)
                    }
                }
                .childChannelInitializer { [relay, certificateEnds] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(OperationConnection(relay, certificateEnds))
                    }
                }
                .bind(host: address.host.withoutBrackets, port: Int(address.port)).get()
            channel.withLock { $0 = made }
            return made.localAddress
        } catch {
            throw RelayError.cannotListen(address, reason: ConnectReason.text(error))
        }
    }

    /// Closes the address.
    public func stop() async {
        let channel = channel.withLock { $0.take() }
        try? await channel?.close()
    }
}

/// One request about a relay; its connection is closed after the response.
private final class OperationConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let relay: Relay
    private let certificateEnds: @Sendable () -> [Int64]
    private var received = ByteBuffer()
    private var end = HeadEnd()
    private var timer: Scheduled<Void>?
    private var isAnswered = false

    init(_ relay: Relay, _ certificateEnds: @escaping @Sendable () -> [Int64]) {
        (self.relay, self.certificateEnds) = (relay, certificateEnds)
    }

    func handlerAdded(context: ChannelHandlerContext) { limit(context) }

    /// Limits how long the peer takes, for its request first and for the response then.
    private func limit(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: OperationServer.limit) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        do throws(HeadDefect) {
            guard let length = try end.find(in: received), let head = received.readSlice(length: length) else { return }
            isAnswered = true
            let span = head.readableBytesUInt8Span
            let request = try RequestHead(parsing: span)
            guard span.equals("get", in: request.methodRange) else {
                return answer("405 Method Not Allowed", "", context)
            }
            if span.equals("/metrics", in: request.target) {
                let ends = certificateEnds
                return report(context) { relay in await RelayStatus.metrics(relay, ends()) }
            }
            if span.equals("/healthz", in: request.target) { return report(context, RelayStatus.health) }
            answer("404 Not Found", "ask for /metrics or /healthz\n", context)
        } catch {
            isAnswered = true
            answer("400 Bad Request", "\(error)\n", context)
        }
    }

    private func report(
        _ context: ChannelHandlerContext,
        _ make: @escaping @Sendable (Relay) async -> RelayStatus.Response
    ) {
        // The relay's own work has no limit: it waits for nothing outside of this process, and on a busy machine a right answer may be late.
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (relay, eventLoop) = (relay, context.eventLoop)
        // Ends soon: the event loops of the relay answer at once.
        Task {
            let response = await make(relay)
            eventLoop.execute {
                let (handler, context) = bound.value
                handler.answer(response.status, response.body, context, contentType: response.contentType)
            }
        }
    }

    private func answer(
        _ status: String,
        _ body: String,
        _ context: ChannelHandlerContext,
        contentType: String = "text/plain; charset=utf-8"
    ) {
        let head = """
            HTTP/1.1 \(status)\r
            Content-Type: \(contentType)\r
            Content-Length: \(body.utf8.count)\r
            Cache-Control: no-store\r
            Connection: close\r
            \r

            """
        limit(context)
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + body)), promise: written)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

@available(*, unavailable)
extension OperationConnection: Sendable {}

/// What a relay says about itself.
private enum RelayStatus {
    struct Response: Sendable {
        let status: String
        let body: String
        var contentType = "text/plain; charset=utf-8"
    }

    static func metrics(_ relay: Relay, _ certificateEnds: [Int64]) async -> Response {
        let text = await MetricsText.text(
            relay.counters(),
            relay.latencies(),
            parentsInUse: relay.parentsInUse(),
            certificateEnds: certificateEnds
        )
        return Response(status: "200 OK", body: text, contentType: MetricsText.contentType)
    }

    static let health: @Sendable (Relay) async -> Response = { relay in
        guard relay.isListening else {
            return Response(status: "503 Service Unavailable", body: "the relay does not listen\n")
        }
        let inUse = relay.parentsInUse()
        guard inUse.isEmpty || inUse.contains(true) else {
            return Response(status: "503 Service Unavailable", body: "no parent can be reached\n")
        }
        return Response(status: "200 OK", body: "ok\n")
    }
}
