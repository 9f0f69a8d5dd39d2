import NIOCore
import NIOPosix
import NIOSSL
import Sallyport
import SallyportNIO

/// What a client saw of a connection on which it wrote a request at once.
struct Exchange: Sendable {
    /// The errors that went through the pipeline, in their order.
    var errors: [any Error] = []
    var answer = ""
    var security = ConnectionTraits.Security.none
    /// The path that was verified.
    var path: [[UInt8]] = []

    /// The only error, if it is one of TLS.
    var error: TLSError? { errors.count == 1 ? errors[0] as? TLSError : nil }
}

enum TLSTestClient {
    static let request = "GET / HTTP/1.1\r\n\r\n"

    /// Opens a connection to `port` on loopback with TLS for `origin`, writes before the handshake, and waits for its end.
    static func exchange(
        _ connector: TLSConnector,
        _ origin: Origin,
        port: Int,
        request: String = request
    ) async throws -> Exchange {
        try await exchange(port: port, request: request) { try connector.addHandlers(to: $0, for: origin) }
    }

    /// The same with handlers of the caller.
    static func exchange(
        port: Int,
        request: String = request,
        _ addTLS: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) async throws -> Exchange {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let end = eventLoop.makePromise(of: Exchange.self)
        let channel = try await ClientBootstrap(group: eventLoop).connectTimeout(.hours(1))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try addTLS(channel.pipeline.syncOperations)
                    try channel.pipeline.syncOperations.addHandler(Probe(request, end))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        defer { channel.close(promise: nil) }
        return try await end.futureResult.get()
    }

    private final class Probe: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var exchange = Exchange()
        private let request: String
        private let end: EventLoopPromise<Exchange>

        init(_ request: String, _ end: EventLoopPromise<Exchange>) {
            self.request = request
            self.end = end
        }

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            exchange.answer += String(buffer: unwrapInboundIn(data))
            let pipeline = context.pipeline.syncOperations
            exchange.security = pipeline.connectionSecurity()
            let path = try? pipeline.nioSSL_peerValidatedCertificateChain()
            exchange.path = path?.compactMap { try? $0.toDERBytes() } ?? []
            context.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { exchange.errors.append(error) }

        func channelInactive(context: ChannelHandlerContext) { end.succeed(exchange) }
    }
}
