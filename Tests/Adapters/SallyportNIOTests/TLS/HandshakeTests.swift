import LiveServers
import NIOCore
import NIOPosix
import NIOSSL
import Sallyport
import Testing
import X509

@testable import SallyportNIO

@Suite(.inTurn) struct HandshakeTests {
    private let world: TLSWorld
    private let leaf: Keyed

    init() throws {
        world = try TLSWorld()
        leaf = try world.root.leaf("wiki.example")
    }

    private func handshake() throws -> Handshake {
        Handshake(
            to: try TLSWorld.wiki,
            ChallengeHandler(try world.compiled),
            try ServerVerifier(world.settings.roots, KeyFloor()),
            try IdentityKeys([:])
        )
    }

    private func verify(
        _ handshake: Handshake,
        then act: () -> Void = {}
    ) async throws -> NIOSSLVerificationResultWithMetadata {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = eventLoop.makePromise(of: NIOSSLVerificationResultWithMetadata.self)
        handshake.verify([try leaf.certificate.nio], promise)
        act()
        return try await promise.futureResult.get()
    }

    @Test("A channel that is gone verifies nothing, whenever it goes")
    func abandoned() async throws {
        let early = try handshake()
        early.abandon()
        #expect(try await verify(early) == .failed)
        #expect(!early.isVerified)
        for _ in 0..<50 {
            let handshake = try handshake()
            var wasVerified = false
            let result = try await verify(handshake) {
                handshake.abandon()
                wasVerified = handshake.isVerified
            }
            #expect(wasVerified == (result != .failed))
        }
        let whole = try handshake()
        #expect(try await verify(whole) != .failed)
        whole.abandon()
        #expect(whole.isVerified)
    }

    @Test("A second question in one handshake is not answered with yes")
    func twice() async throws {
        let handshake = try handshake()
        #expect(try await verify(handshake) != .failed)
        #expect(try await verify(handshake) == .failed)
    }

    @Test("A client that closes while its server is verified")
    func closedInBetween() async throws {
        let connector = try world.connector()
        let server = try await TLSTestServer.start(leaf)
        let exchange = try await TLSTestClient.exchange(port: server.port) { pipeline in
            try pipeline.addHandler(Closing())
            try connector.addHandlers(to: pipeline, for: TLSWorld.wiki)
        }
        #expect(exchange.answer.isEmpty)
        #expect(exchange.errors.count <= 1, "\(exchange.errors)")
        #expect(await server.next().bytes.isEmpty)
    }

    @Test("Many handshakes at once, good and bad")
    func many() async throws {
        let connector = try world.connector()
        let good = try await TLSTestServer.start(leaf)
        let bad = try await TLSTestServer.start(world.root.leaf("other.example"))
        try await withThrowingTaskGroup(of: (Int, Exchange).self) { group in
            for index in 0..<100 {
                let port = index.isMultiple(of: 2) ? good.port : bad.port
                group.addTask { (index, try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: port)) }
            }
            for try await (index, exchange) in group {
                #expect(exchange.answer == (index.isMultiple(of: 2) ? "ok" : ""), "\(exchange.errors)")
                #expect((exchange.error == nil) == index.isMultiple(of: 2))
            }
        }
    }

    /// Closes the channel when the first bytes of the server have been read.
    private final class Closing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireChannelRead(data)
            context.channel.close(promise: nil)
        }
    }
}
