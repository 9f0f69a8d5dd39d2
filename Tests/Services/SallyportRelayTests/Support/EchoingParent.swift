import ClientAuthentication
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import SallyportNIO

/// A parent that authenticates connections with NTLM, and answers each request with the account of its connection.
final class EchoingParent: Sendable {
    let origin: Origin
    private let channel: any Channel

    init(_ accounts: [ClientName: ClientSecret]) async throws {
        let options = ClientAuthenticationOptions(party: .proxy, realm: "parent", schemes: [.ntlm])
        let authenticator = ClientAuthenticator(options, directory: FixedDirectory(accounts))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    let server = AuthenticationServerHandler(authenticator, options: .patient)
                    try pipeline.addServerAuthentication(server)
                    try pipeline.addHandler(Echo(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        origin = try Origin(parsing: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
    }

    func stop() { channel.close(promise: nil) }
}

private final class Echo: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: AuthenticationServerHandler

    init(_ server: AuthenticationServerHandler) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let text = server.client.map { "\($0.name)" } ?? "-"
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .ok,
            headers: ["Content-Length": "\(text.utf8.count)"]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
