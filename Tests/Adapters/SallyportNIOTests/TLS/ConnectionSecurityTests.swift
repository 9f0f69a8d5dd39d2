import LiveServers
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOSSL
import Sallyport
import SallyportNIO
import Synchronization
import Testing

@Suite(.inTurn) struct ConnectionSecurityTests {
    @Test func withoutTLSThereIsNone() throws {
        let channel = EmbeddedChannel()
        #expect(channel.pipeline.syncOperations.connectionSecurity() == .none)
        _ = try channel.finish()
    }

    @Test("Before the handshake the leaf is not known")
    func early() throws {
        let channel = EmbeddedChannel()
        let connector = try TLSWorld().connector()
        try connector.addHandlers(to: channel.pipeline.syncOperations, for: TLSWorld.wiki)
        #expect(channel.pipeline.syncOperations.connectionSecurity() == .unknownLeaf)
        _ = try channel.finish()
    }

    @Test("The leaf of a server is not known while it is not verified")
    func unverified() async throws {
        func samples(_ name: String) async throws -> [ConnectionTraits.Security] {
            let world = try TLSWorld()
            let connector = try world.connector()
            let server = try await TLSTestServer.start(world.root.leaf(name))
            let sampler = Collected()
            _ = try await TLSTestClient.exchange(port: server.port) { pipeline in
                try pipeline.addHandler(Sampler { sample in sampler.add(sample) })
                try connector.addHandlers(to: pipeline, for: TLSWorld.wiki)
            }
            return sampler.all
        }
        let refused = try await samples("other.example")
        #expect(!refused.isEmpty && refused.allSatisfy { $0 == .unknownLeaf }, "\(refused)")
        // The samples can see a leaf.
        #expect(try await samples("wiki.example").contains { if case .leaf = $0 { true } else { false } })
    }

    private final class Collected: Sendable {
        private let samples = Mutex<[ConnectionTraits.Security]>([])
        var all: [ConnectionTraits.Security] { samples.withLock { $0 } }
        func add(_ sample: ConnectionTraits.Security) { samples.withLock { $0.append(sample) } }
    }

    /// Asks after all bytes that come from the server, outside of TLS.
    private final class Sampler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let tell: (ConnectionTraits.Security) -> Void

        init(_ tell: @escaping (ConnectionTraits.Security) -> Void) { self.tell = tell }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireChannelRead(data)
            tell(context.pipeline.syncOperations.connectionSecurity())
        }
    }

    @Test("TLS inside of TLS: the leaf is that of the inner one")
    func nested() async throws {
        let world = try TLSWorld()
        let (outer, inner) = (try world.root.leaf("proxy.example"), try world.root.leaf("wiki.example"))
        let connector = try world.connector()
        func context(_ leaf: Keyed) throws -> NIOSSLContext {
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: [.certificate(leaf.certificate.nio)],
                    privateKey: leaf.source
                )
            )
        }
        let (first, second) = (try context(outer), try context(inner))
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: first), NIOSSLServerHandler(context: second),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.hours(1))
            .connect(host: "127.0.0.1", port: port).get()
        let pipeline = channel.pipeline
        try await connector.secure(channel, to: Origin(parsing: "https://proxy.example"))
        let proxy = try await channel.eventLoop.submit { pipeline.syncOperations.connectionSecurity() }.get()
        #expect(proxy == .leaf(try outer.der))
        try await connector.secure(channel, to: TLSWorld.wiki)
        let wiki = try await channel.eventLoop.submit { pipeline.syncOperations.connectionSecurity() }.get()
        #expect(wiki == .leaf(try inner.der))
        try await channel.close()
        try await server.close()
    }
}
