import ClientAuthentication
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO

/// A server on loopback that asks for NTLM and greets who logs on: `ntlm-server USER PASSWORDFILE`, where USER is `DOMAIN\name`.
///
/// It prints its URL.
@main
enum NTLMServer {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else {
            print("usage: ntlm-server USER PASSWORDFILE")
            exit(2)
        }
        let password = try SecretReference.file(path: words[2]).load()
        let directory = FixedDirectory([ClientName(words[1]): .password(password)])
        var options = ClientAuthenticationOptions(party: .origin, realm: "example", schemes: [.ntlm])
        // curl sends no integrity code, which is due where a server has named its time.
        options.ntlm.sendsTimestamp = false
        let authenticator = ClientAuthenticator(options, directory: directory)  // one for all channels
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addServerAuthentication(AuthenticationServerHandler(authenticator))
                    try pipeline.addHandler(Greeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        print("http://127.0.0.1:\(server.localAddress?.port ?? 0)/")
        try await server.closeFuture.get()
    }
}

/// Hears who sends a request, before each request.
final class Greeter: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var client = ""

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .accepted(let client) = event as? AuthenticationServerEvent { self.client = "\(client.name)" }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let body = ByteBuffer(string: "Hello, \(client)\n")
        var head = HTTPResponseHead(version: .http1_1, status: .ok)
        head.headers.add(name: "Content-Length", value: "\(body.readableBytes)")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
