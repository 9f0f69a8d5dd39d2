import LiveServers
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import X509

/// A TLS server on loopback that answers the first bytes with `ok`, and tells what it saw of each connection.
final class TLSTestServer: Sendable {
    /// What the server saw of a connection, from its begin to its end.
    struct Seen: Sendable {
        /// What the client sent inside of TLS.
        var bytes: [UInt8] = []
        /// Whether the handshake ended well.
        var isSecured = false
        /// The client's certificate in DER.
        var client: [UInt8]?
        var version: TLSVersion?
    }

    /// Whether the server wants a certificate of clients, below these roots.
    enum ClientCertificates {
        case no
        case optional([Certificate])
        case required([Certificate])
    }

    let port: Int
    private let channel: any Channel
    private let seen: AsyncStream<Seen>

    private init(_ channel: any Channel, _ seen: AsyncStream<Seen>) {
        self.channel = channel
        self.seen = seen
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    static func start(
        _ leaf: Keyed,
        _ others: [Certificate] = [],
        maximum: TLSVersion? = nil,
        clients: ClientCertificates = .no,
        greeting: String? = nil
    ) async throws -> TLSTestServer {
        let chain = try ([leaf.certificate] + others).map { NIOSSLCertificateSource.certificate(try $0.nio) }
        return try await start(chain: chain, key: leaf.source, maximum: maximum, clients: clients, greeting: greeting)
    }

    static func start(
        chain: [NIOSSLCertificateSource],
        key: NIOSSLPrivateKeySource,
        maximum: TLSVersion? = nil,
        clients: ClientCertificates = .no,
        greeting: String? = nil
    ) async throws -> TLSTestServer {
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.maximumTLSVersion = maximum
        switch clients {
        case .no: break
        case .optional(let roots):
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .certificates(try roots.map { try $0.nio })
        case .required(let roots):
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try roots.map { try $0.nio })
        }
        let context = try NIOSSLContext(configuration: configuration)
        let (seen, continuation) = AsyncStream.makeStream(of: Seen.self)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let observer = Observer(greeting) { continuation.yield($0) }
                    try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: context), observer])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TLSTestServer(channel, seen)
    }

    /// What the server saw of the next connection that has ended.
    func next() async -> Seen {
        var iterator = seen.makeAsyncIterator()
        return await iterator.next() ?? Seen()
    }

    private final class Observer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var seen = Seen()
        private let greeting: String?
        private let end: (Seen) -> Void

        init(_ greeting: String?, _ end: @escaping (Seen) -> Void) {
            self.greeting = greeting
            self.end = end
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted = event as? TLSUserEvent {
                seen.isSecured = true
                let pipeline = context.pipeline.syncOperations
                seen.client = try? pipeline.nioSSL_peerCertificate()?.toDERBytes()
                seen.version = try? pipeline.nioSSL_tlsVersion()
                if let greeting { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: greeting)), promise: nil) }
            }
            context.fireUserInboundEventTriggered(event)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            seen.bytes += Array(unwrapInboundIn(data).readableBytesView)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "ok")), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func channelInactive(context: ChannelHandlerContext) { end(seen) }
    }
}
