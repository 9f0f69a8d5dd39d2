import LiveServers
import NIOCore
import NIOPosix
import NIOSSL
import Sallyport
import SallyportNIO
import Testing

/// Servers that never come to a handshake.
@Suite(.inTurn) struct HandshakeWatchTests {
    private var world: TLSWorld

    init() throws { world = try TLSWorld() }

    /// A server without TLS that does `begin` with each connection.
    private func server(_ begin: @escaping @Sendable (any Channel) -> Void) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering { begin($0) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private func visit(_ server: any Channel) async throws -> Exchange {
        let port = try #require(server.localAddress?.port)
        let exchange = try await TLSTestClient.exchange(world.connector(), TLSWorld.wiki, port: port)
        try await server.close()
        return exchange
    }

    @Test("A silent server is left after the limit")
    func silence() async throws {
        var world = world
        world.settings.handshakeLimit = .milliseconds(50)
        let server = try await server { _ in }
        let port = try #require(server.localAddress?.port)
        let exchange = try await TLSTestClient.exchange(world.connector(), TLSWorld.wiki, port: port)
        #expect(exchange.error == .handshakeTimedOut(try TLSWorld.wiki, limit: .milliseconds(50)))
        try await server.close()
    }

    @Test("A server of plain HTTP")
    func plainHTTP() async throws {
        let server = try await server { channel in
            channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"), promise: nil)
        }
        let reason = "the server does not speak TLS: check the port"
        #expect(try await visit(server).error == .handshakeFailed(try TLSWorld.wiki, reason: reason))
    }

    @Test("A server that closes in the handshake")
    func closing() async throws {
        let reason = "the connection was closed: check that the port speaks TLS"
        let server = try await server { $0.close(promise: nil) }
        #expect(try await visit(server).error == .handshakeFailed(try TLSWorld.wiki, reason: reason))
    }

    @Test("A server whose newest version is too old")
    func oldServer() async throws {
        var world = world
        world.settings.minimumVersion = .tlsv13
        let server = try await TLSTestServer.start(world.root.leaf("wiki.example"), maximum: .tlsv12)
        guard case .handshakeFailed(_, let reason)? = try await world.visit(server).error else {
            Issue.record("TLS 1.2 was accepted")
            return
        }
        #expect(reason.contains("minimumVersion"), "\(reason)")
    }

    @Test("secure returns after the handshake, and throws its error")
    func secure() async throws {
        let good = try await TLSTestServer.start(world.root.leaf("wiki.example"))
        let channel = try await connect(good.port)
        try await world.connector().secure(channel, to: TLSWorld.wiki)
        #expect(channel.isActive)
        try await channel.close()

        let other = try world.root.leaf("other.example")
        let bad = try await TLSTestServer.start(other)
        let refused = try await connect(bad.port)
        let expected = TLSError.serverNotValidated(try TLSWorld.wiki, .otherName, chain: [try other.der])
        await #expect(throws: expected) { try await world.connector().secure(refused, to: TLSWorld.wiki) }
        try await refused.closeFuture.get()
        await #expect(throws: (any Error).self) { try await world.connector().secure(refused, to: TLSWorld.wiki) }
    }

    @Test("Handlers that are added at the end of the handshake miss nothing")
    func installing() async throws {
        let leaf = try world.root.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf, greeting: "hello")
        for _ in 0..<20 {
            let channel = try await connect(server.port)
            let first = channel.eventLoop.makePromise(of: String.self)
            // A promise must end, also where the test does before it.
            defer { first.fail(ChannelError.alreadyClosed) }
            let security = try await world.connector().secure(channel, to: TLSWorld.wiki) { pipeline in
                try pipeline.addHandler(FirstBytes(first))
                return pipeline.connectionSecurity()
            }
            #expect(security == .leaf(try leaf.der))
            #expect(try await first.futureResult.get() == "hello")
            try await channel.close()
        }
    }

    @Test("A server of TLS 1.3 that refuses our certificate after the handshake is told to those handlers")
    func lateRefusal() async throws {
        let clients = try TestAuthority("Clients")
        let leaf = try world.root.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf, clients: .required([clients.own.certificate]))
        for _ in 0..<20 {
            let channel = try await connect(server.port)
            let first = channel.eventLoop.makePromise(of: String.self)
            // A promise must end, also where the test does before it.
            defer { first.fail(ChannelError.alreadyClosed) }
            try await world.connector().secure(channel, to: TLSWorld.wiki) { try $0.addHandler(FirstBytes(first)) }
            let error = await #expect(throws: TLSError.self) { try await first.futureResult.get() }
            guard case .identityNotAccepted(_, .withhold(.noCredential), _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A cancelled task closes the connection")
    func cancellation() async throws {
        let server = try await server { _ in }
        let channel = try await connect(#require(server.localAddress?.port))
        let connector = try world.connector()
        let task = Task { try await connector.secure(channel, to: TLSWorld.wiki) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await channel.closeFuture.get()
        try await server.close()
    }

    private func connect(_ port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.hours(1))
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Waits for the first bytes or error.
    private final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let first: EventLoopPromise<String>

        init(_ first: EventLoopPromise<String>) { self.first = first }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            first.succeed(String(buffer: unwrapInboundIn(data)))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { first.fail(error) }

        func channelInactive(context: ChannelHandlerContext) { first.fail(ChannelError.eof) }
    }

    /// Does something with a channel when the first bytes come.
    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let begin: (any Channel) -> Void

        init(_ begin: @escaping (any Channel) -> Void) { self.begin = begin }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { begin(context.channel) }
    }
}
