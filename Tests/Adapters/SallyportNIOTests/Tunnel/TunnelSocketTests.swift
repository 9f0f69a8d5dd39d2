import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO
import Testing

@Suite(.inTurn) struct TunnelSocketTests {
    @Test("Through a proxy with NTLM and back, over real connections") func tunnel() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let proxy = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AskingProxy())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(proxy.localAddress?.port)
        let site = "http://127.0.0.1:\(port)"
        let challenges = CurrentHandler(try ClientProfile.handler([.ntlm], sites: [site]))
        let (origin, through) = (try Origin(parsing: "https://wiki.acme.example"), try Origin(parsing: site))
        let (client, opened, said) = try await ClientBootstrap(group: group).connectTimeout(.hours(1))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let opened = channel.eventLoop.makePromise(of: Void.self)
                    let said = channel.eventLoop.makePromise(of: String.self)
                    let tunnel = ProxyTunnelHandler(challenges, to: origin, through: through, opened: opened)
                    try channel.pipeline.syncOperations.addHandlers([tunnel, EchoUser(said)])
                    return (channel, opened.futureResult, said.futureResult)
                }
            }
        try await opened.get()
        try await client.writeAndFlush(ByteBuffer(string: "echo"))
        #expect(try await said.get() == "welcome echo")
        try await client.close()
        try await proxy.close()
    }
}

/// A proxy that asks with NTLM, then says "welcome " in the packet of its 200, and sends all bytes back.
private final class AskingProxy: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var ntlm = NTLMServer()
    private var text = ""
    private var isOpen = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOpen else {
            context.writeAndFlush(data, promise: nil)
            return
        }
        text += String(buffer: unwrapInboundIn(data))
        guard text.hasSuffix("\r\n\r\n") else { return }
        let lines = text.split(separator: "\r\n")
        text = ""
        guard lines.first == "CONNECT wiki.acme.example:443 HTTP/1.1" else {
            context.close(promise: nil)
            return
        }
        let prefix = "Proxy-Authorization: "
        let answer = lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        var challenge = "NTLM"
        if let answer, let reply = try? ntlm.reply(to: answer) {
            if case .challenge(let value) = reply { challenge = value }
            isOpen = reply == .accepted
        }
        // A 407 has a body, as those of real proxies.
        let asks = "HTTP/1.1 407 Asks\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 4\r\n\r\nasks"
        let response = isOpen ? "HTTP/1.1 200 OK\r\n\r\nwelcome " : asks
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response)), promise: nil)
    }
}

/// Collects what comes through the tunnel, up to "echo".
private final class EchoUser: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let said: EventLoopPromise<String>
    private var text = ""

    init(_ said: EventLoopPromise<String>) { self.said = said }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text += String(buffer: unwrapInboundIn(data))
        if text.hasSuffix("echo") { said.succeed(text) }
    }

    func channelInactive(context: ChannelHandlerContext) { said.fail(ChannelError.eof) }
}
