import ClientAuthentication
import HTTPAuthentication
import LiveServers
import NIOCore
import NIOEmbedded
import NIOHTTP1
import SallyportNIO
import Testing

/// The handler behind NIO's codec: bytes in, bytes out.
@Suite(.inTurn) struct ServerCodecTests {
    private static let answer = "Authorization: Basic amRvZTpDb3JyZWN0LUhvcnNl\r\n"
    private static let upgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: test\r\n"
    private static let negotiate = "Authorization: NTLM TlRMTVNTUAABAAAAB4IIogAAAAAAAAAAAAAAAAAAAAA=\r\n"

    @Test("A request after a refused CONNECT is answered, also in one packet", arguments: [true, false])
    func refusedConnect(hasPipelining: Bool) async throws {
        let channel = try await Self.channel(hasPipelining: hasPipelining)
        let connect = "CONNECT x:1 HTTP/1.1\r\n\r\n"
        try await Self.send(connect + connect + "GET /a HTTP/1.1\r\n\(Self.answer)\r\n", to: channel)
        #expect(try await Self.statuses(3, from: channel) == ["401", "401", "200"])
    }

    @Test("A request after a CONNECT or an upgrade that the user does not take is answered", arguments: [true, false])
    func refusedByUser(hasPipelining: Bool) async throws {
        let channel = try await Self.channel(hasPipelining: hasPipelining)
        for head in ["CONNECT x:1 HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\(Self.upgrade)", "GET /a HTTP/1.1\r\n"] {
            try await Self.send("\(head)\(Self.answer)\r\n", to: channel)
            #expect(try await Self.statuses(1, from: channel) == [head.hasPrefix("CONNECT") ? "502" : "200"])
        }
    }

    @Test("A refused upgrade ends the connection, because its decoder reads no more")
    func refusedUpgrade() async throws {
        let channel = try await Self.channel()
        try await Self.send("GET / HTTP/1.1\r\n\(Self.upgrade)\r\n", to: channel)
        let response = try await Self.response(1, from: channel)
        #expect(response.contains("Connection: close\r\n"))
        try await channel.closeFuture.get()
    }

    @Test("A refused upgrade that belongs to an NTLM handshake leaves the connection open")
    func handshakeWithUpgrade() async throws {
        let channel = try await Self.channel([.ntlm])
        for _ in 0..<2 {
            try await Self.send("GET / HTTP/1.1\r\n\(Self.upgrade)\(Self.negotiate)\r\n", to: channel)
            let response = try await Self.response(1, from: channel)
            #expect(response.contains("WWW-Authenticate: NTLM TlRM") && !response.contains("close"))
        }
    }

    @Test(
        "No client upgrades without being authenticated, with either of NIO's upgrade handlers",
        arguments: [true, false]
    )
    func upgrades(isTyped: Bool) async throws {
        for (answer, status) in [("", "401"), (Self.answer, "101")] {
            let channel = try await Self.upgradingChannel(isTyped: isTyped)
            try await Self.send("GET / HTTP/1.1\r\nHost: x\r\n\(answer)\(Self.upgrade)\r\n", to: channel)
            #expect(try await Self.statuses(1, from: channel) == [status])
        }
    }

    private static func upgradingChannel(isTyped: Bool) async throws -> NIOAsyncTestingChannel {
        let channel = try await NIOAsyncTestingChannel { channel in
            let pipeline = channel.pipeline.syncOperations
            if isTyped {
                let upgrades = NIOTypedHTTPServerUpgradeConfiguration<Void>(upgraders: [TestUpgrader()]) { channel in
                    channel.eventLoop.makeSucceededVoidFuture()
                }
                _ = try pipeline.configureUpgradableHTTPServerPipeline(
                    configuration: NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrades)
                )
            } else {
                try pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [TestUpgrader()], completionHandler: { _ in })
                )
            }
            let own = AuthenticationServerOptions(isEncrypted: true)
            try pipeline.addServerAuthentication(AuthenticationServerHandler(Self.authenticator(), options: own))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).get()
        return channel
    }

    // MARK: - The channel

    private static func authenticator(_ schemes: [ClientScheme] = [.basic]) -> ClientAuthenticator {
        let options = ClientAuthenticationOptions(party: .origin, realm: "wiki", schemes: schemes)
        return ClientAuthenticator(options, directory: GatedDirectory(isOpen: true))
    }

    private static func channel(
        _ schemes: [ClientScheme] = [.basic],
        hasPipelining: Bool = true
    ) async throws -> NIOAsyncTestingChannel {
        let channel = try await NIOAsyncTestingChannel { channel in
            let pipeline = channel.pipeline.syncOperations
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            try pipeline.addHandlers([HTTPResponseEncoder(), decoder])
            if hasPipelining { try pipeline.addHandler(HTTPServerPipelineHandler()) }
            let own = AuthenticationServerOptions(isEncrypted: true)
            try pipeline.addServerAuthentication(AuthenticationServerHandler(authenticator(schemes), options: own))
            try pipeline.addHandler(StatusResponder())
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).get()
        return channel
    }

    private static func send(_ text: String, to channel: NIOAsyncTestingChannel) async throws {
        try await channel.writeInbound(ByteBuffer(string: text))
    }

    /// What was sent when it holds `count` responses.
    private static func response(_ count: Int, from channel: NIOAsyncTestingChannel) async throws -> String {
        var text = ""
        try await eventually("\(count) responses in \(text.debugDescription)") {
            await channel.testingEventLoop.run()
            while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text.split(separator: "HTTP/1.1 ").count >= count
        }
        return text
    }

    private static func statuses(_ count: Int, from channel: NIOAsyncTestingChannel) async throws -> [String] {
        try await response(count, from: channel).split(separator: "HTTP/1.1 ").map { "\($0.prefix(3))" }
    }
}

/// Answers 502 to CONNECT, 200 to others.
private final class StatusResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var status = HTTPResponseStatus.ok

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.method == .CONNECT ? .badGateway : .ok
        case .body: return
        case .end:
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: ["Content-Length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

/// Upgrades every client that asks.
private struct TestUpgrader: HTTPServerProtocolUpgrader, NIOTypedHTTPServerProtocolUpgrader {
    let supportedProtocol = "test"
    let requiredUpgradeHeaders: [String] = []

    func buildUpgradeResponse(
        channel: any Channel,
        upgradeRequest: HTTPRequestHead,
        initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        channel.eventLoop.makeSucceededFuture(initialResponseHeaders)
    }

    func upgrade(context: ChannelHandlerContext, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Void> {
        context.eventLoop.makeSucceededVoidFuture()
    }

    func upgrade(channel: any Channel, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Void> {
        channel.eventLoop.makeSucceededVoidFuture()
    }
}
