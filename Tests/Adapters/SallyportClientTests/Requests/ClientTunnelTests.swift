import ClientAuthentication
import CredentialSources
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportClient
import SallyportNIO
import Secrets
import Synchronization
import TestLimits
import Testing

/// Tunnels for the clients of a proxy: from the channel of a client, over the client's own proxy, to a server.
@Suite(.inTurn) struct ClientTunnelTests {
    /// The requests of one connection: each is a tunnel, or 502 with the reason in words.
    private final class Asked: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart

        private let client: AuthenticatedClient
        private var target = ""
        private var task: Task<Void, Never>?

        init(_ client: AuthenticatedClient) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): target = head.uri
            case .body: break
            case .end:
                task = Task { [client, target, channel = context.channel] in
                    do {
                        let origin = try Origin(parsing: "https://\(target)")
                        try await client.tunnel(channel, from: Asked.self, to: origin)
                    } catch {
                        let status = HTTPResponseStatus.custom(code: 502, reasonPhrase: "\(error)")
                        let head = HTTPResponseHead(version: .http1_1, status: status)
                        try? await channel.writeAndFlush(HTTPServerResponsePart.head(head)).get()
                        channel.close(promise: nil)
                    }
                }
            }
        }

        func channelInactive(context: ChannelHandlerContext) { task?.cancel() }
    }

    /// The same for a request that comes as a whole.
    private final class AskedWhole: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOHTTPServerRequestFull

        private let client: AuthenticatedClient
        private var task: Task<Void, any Error>?

        init(_ client: AuthenticatedClient) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            task = Task { [client, target = unwrapInboundIn(data).head.uri, channel = context.channel] in
                try await client.tunnel(channel, from: AskedWhole.self, to: Origin(parsing: "https://\(target)"))
            }
        }

        func channelInactive(context: ChannelHandlerContext) { task?.cancel() }
    }

    /// Sends back what comes, and ends when its client does.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }
        func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? ChannelEvent, event == .inputClosed {
                context.close(mode: .output, promise: nil)
            }
        }
    }

    /// A proxy on loopback.
    private func proxy(
        _ client: AuthenticatedClient,
        asking clients: ClientAuthenticator? = nil
    ) async throws -> (channel: any Channel, port: UInt16) {
        try await proxy { pipeline in
            try pipeline.addHandler(Asked(client))
            if let clients { try pipeline.addServerAuthentication(AuthenticationServerHandler(clients)) }
        }
    }

    /// The same with the handlers that `add` adds behind NIO's own.
    private func proxy(
        _ add: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) async throws -> (channel: any Channel, port: UInt16) {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        HTTPResponseEncoder(),
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
                        HTTPServerPipelineHandler()
                    )
                    try add(channel.pipeline.syncOperations)
                }
            }
            .bind(host: "127.0.0.1", port: Int(try ServerPort.take())).get()
        return (channel, UInt16(try #require(channel.localAddress?.port)))
    }

    private func handler(_ sites: [Origin] = []) throws -> CurrentHandler {
        let rules = sites.isEmpty ? "https://none.example" : sites.map { "\($0)" }.joined(separator: "\n")
        let profile = SecurityProfile(sites: try SiteList(parsing: rules, name: "test"), schemes: [.basic])
        return CurrentHandler(ChallengeHandler(try CompiledProfile(profile, at: 0)))
    }

    /// Sends CONNECT, and `early` in the same packet. Returns the head of the response.
    private func connect(_ stream: ByteStream, _ target: String, early: String = "") throws -> String {
        try stream.send(Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n\(early)".utf8))
        return String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
    }

    @Test("NIO's handler that gathers a request leaves with the other ones") func gathered() async throws {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let client = AuthenticatedClient(try handler())
        let (proxy, port) = try await proxy { pipeline in
            try pipeline.addHandlers(NIOHTTPServerRequestAggregator(maxContentLength: 1024), AskedWhole(client))
        }
        defer { proxy.close(promise: nil) }
        let stream = try ByteStream(port: port)
        #expect(try connect(stream, "127.0.0.1:\(server.origin.port)") == "HTTP/1.1 200 OK")
        try stream.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(try stream.readLine() == "HTTP/1.1 200 OK\r")
    }

    @Test("Bytes go both ways, also those that do not wait for the answer, and each side ends its own") func bytes()
        async throws
    {
        let port = try ServerPort.take()
        let echo = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Echo()) }
            }
            .bind(host: "127.0.0.1", port: Int(port)).get()
        defer { echo.close(promise: nil) }
        let (proxy, proxyPort) = try await proxy(AuthenticatedClient(try handler()))
        defer { proxy.close(promise: nil) }
        let stream = try ByteStream(port: proxyPort)
        #expect(try connect(stream, "127.0.0.1:\(port)", early: "early") == "HTTP/1.1 200 OK")
        #expect(try stream.read(count: 5) == Array("early".utf8))
        for number in 0..<64 {
            let part = [UInt8](repeating: UInt8(number), count: 65_536)
            try stream.send(part)
            #expect(try stream.read(count: part.count) == part)
        }
    }

    /// Sends this much when its client has ended its output, and leaves.
    private final class Farewell: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        static let bytes = 16 << 20

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard let event = event as? ChannelEvent, event == .inputClosed else { return }
            let bytes = ByteBuffer(repeating: 7, count: Self.bytes)
            context.writeAndFlush(NIOAny(bytes)).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        }
    }

    @Test("A program that has ended its output gets all that the server sends afterwards, however slowly it reads")
    func halfClosed() async throws {
        let port = try ServerPort.take()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Farewell()) }
            }
            .bind(host: "127.0.0.1", port: Int(port)).get()
        defer { server.close(promise: nil) }
        let (proxy, proxyPort) = try await proxy(AuthenticatedClient(try handler()))
        defer { proxy.close(promise: nil) }
        let stream = try ByteStream(port: proxyPort)
        #expect(try connect(stream, "127.0.0.1:\(port)") == "HTTP/1.1 200 OK")
        stream.finish()
        var count = 0
        while count < Farewell.bytes {
            #expect(try stream.read(count: 65_536).allSatisfy { $0 == 7 })
            count += 65_536
        }
        #expect(throws: PeerFailure.self) { try stream.read(count: 1) }
    }

    @Test("What a server says before it leaves arrives, also if it leaves before the tunnel is there") func greeting()
        async throws
    {
        let port = try ServerPort.take()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.execute {
                    channel.writeAndFlush(ByteBuffer(string: "421 too many")).whenComplete { _ in
                        channel.close(promise: nil)
                    }
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: Int(port)).get()
        defer { server.close(promise: nil) }
        let (proxy, proxyPort) = try await proxy(AuthenticatedClient(try handler()))
        defer { proxy.close(promise: nil) }
        for _ in 0..<20 {
            let stream = try ByteStream(port: proxyPort)
            #expect(try connect(stream, "127.0.0.1:\(port)") == "HTTP/1.1 200 OK")
            #expect(try stream.read(count: 12) == Array("421 too many".utf8))
            #expect(throws: PeerFailure.self) { try stream.read(count: 1) }
        }
    }

    @Test("A program that has to log on gets the proof of the proxy with the answer to CONNECT") func proof()
        async throws
    {
        let server = try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        defer { server.stop() }
        let clients = ClientAuthenticator(
            ClientAuthenticationOptions(party: .proxy, realm: "edge", schemes: [.digestSHA256]),
            directory: Known()
        )
        let (proxy, port) = try await proxy(AuthenticatedClient(try handler()), asking: clients)
        defer { proxy.close(promise: nil) }
        let origin = server.origin
        var settings = ClientSettings()
        let edge = try Origin(parsing: "http://127.0.0.1:\(port)")
        settings.proxy = { _ in edge }
        // Our own client demands the proof.
        let account = Account(name: "jdoe", user: "jdoe", domain: nil, password: SharedSecret(utf8: "Right"))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(edge)", name: "test"),
            schemes: [.digest],
            accounts: [
                .init(
                    account,
                    sites: ["\(edge)"],
                    allowsCleartext: true,
                    digest: DigestRules(demandsServerProof: true)
                )
            ]
        )
        let inside = AuthenticatedClient(CurrentHandler(try ChallengeHandler(profile: profile)), settings: settings)
        let (outer, outerPort) = try await self.proxy(inside)
        defer { outer.close(promise: nil) }
        let stream = try ByteStream(port: outerPort)
        #expect(try connect(stream, "\(origin.host):\(origin.port)") == "HTTP/1.1 200 OK")
        try stream.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(try stream.readLine() == "HTTP/1.1 200 OK\r")
    }

    private struct Known: ClientDirectory {
        func secret(of name: ClientName) async throws -> ClientSecret? { .password(SharedSecret(utf8: "Right")) }
    }

    @Test("No connection, and a proxy that refuses: nothing was answered, so the program is told in HTTP")
    func refused() async throws {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n") }
        defer { parent.stop() }
        let nobody = try ServerPort.take()
        var settings = ClientSettings()
        let (direct, directPort) = try await proxy(AuthenticatedClient(try handler()))
        defer { direct.close(promise: nil) }
        let unreached = try connect(try ByteStream(port: directPort), "127.0.0.1:\(nobody)")
        #expect(unreached.hasPrefix("HTTP/1.1 502 ") && unreached.contains("Connection refused"), "\(unreached)")
        settings.proxy = { [origin = parent.origin] _ in origin }
        let (proxy, port) = try await proxy(AuthenticatedClient(try handler(), settings: settings))
        defer { proxy.close(promise: nil) }
        let refused = try connect(try ByteStream(port: port), "127.0.0.1:\(nobody)")
        #expect(
            refused.split(whereSeparator: \.isNewline).first
                == "HTTP/1.1 502 the proxy refused the tunnel with 403 No: check the server's name, or ask who runs the proxy",
            "\(refused)"
        )
    }

    @Test("A request that has been here before is not sent again") func circle() async throws {
        let client = AuthenticatedClient(try handler())
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "http://127.0.0.1:1/")
        head.headers.add(name: "Via", value: "1.0 other, 1.1 edge")
        let channel = NIOAsyncTestingChannel()
        await #expect(
            throws: ClientError.badRequest(reason: "the request came through edge before: its proxies form a circle")
        ) {
            try await client.forward(head, ByteBuffer(), on: channel, as: "edge")
        }
        // The name is another one, so the request is sent. No server listens at its port.
        do {
            try await client.forward(head, ByteBuffer(), on: channel, as: "edge.example")
            Issue.record("a response came")
        } catch ClientError.notConnected {}
        _ = try await channel.finish()
    }

    /// A person who gives these passwords in turn.
    private final class Person: CredentialSource {
        private struct State {
            var passwords: [String]
            var questions: [CredentialQuestion] = []
            var wasWithdrawn = false
        }

        private let state: Mutex<State>

        init(_ passwords: String...) { state = Mutex(State(passwords: passwords)) }

        var questions: [CredentialQuestion] { state.withLock { $0.questions } }
        var wasWithdrawn: Bool { state.withLock { $0.wasWithdrawn } }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            let next = state.withLock { state in
                state.questions.append(question)
                return state.passwords.isEmpty ? nil : state.passwords.removeFirst()
            }
            guard let next else {
                defer { state.withLock { $0.wasWithdrawn = Task.isCancelled } }
                try await Task.sleep(for: .seconds(3_600))
                return .nothing
            }
            return .use(SuppliedCredential(user: "jdoe", domain: nil, password: SharedSecret(utf8: next)))
        }
    }

    /// A proxy that takes `jdoe` with "Right", and is also the server in the tunnel.
    private func askingParent() async throws -> ScriptedServer {
        try await ScriptedServer { request in
            guard request.head.hasPrefix("CONNECT ") else {
                return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            guard request.field("Proxy-Authorization") == "Basic amRvZTpSaWdodA==" else {
                return .send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
                )
            }
            return .send("HTTP/1.1 200 Open\r\n\r\n")
        }
    }

    private func asking(_ parent: Origin, _ person: Person) async throws -> (channel: any Channel, port: UInt16) {
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(try handler([parent]), prompt: person, options: options)
        var settings = ClientSettings()
        settings.proxy = { _ in parent }
        return try await proxy(AuthenticatedClient(authenticator, settings: settings))
    }

    @Test("The parent's password is asked for, a refused one again, and later tunnels ask nobody") func asked()
        async throws
    {
        let parent = try await askingParent()
        defer { parent.stop() }
        let person = Person("Wrong", "Right")
        let (proxy, port) = try await asking(parent.origin, person)
        defer { proxy.close(promise: nil) }
        for _ in 0..<2 {
            let stream = try ByteStream(port: port)
            #expect(try connect(stream, "wiki.acme.example:443") == "HTTP/1.1 200 OK")
            try stream.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(try stream.readLine() == "HTTP/1.1 200 OK\r")
        }
        #expect(person.questions.map(\.wasRefused) == [false, true])
        #expect(person.questions.allSatisfy { $0.party == .proxy })
    }

    @Test("Who leaves withdraws the question") func leaves() async throws {
        let parent = try await askingParent()
        defer { parent.stop() }
        let person = Person()
        let (proxy, port) = try await asking(parent.origin, person)
        defer { proxy.close(promise: nil) }
        var stream: ByteStream? = try ByteStream(port: port)
        try stream?.send(Array("CONNECT wiki.acme.example:443 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        try await eventually("somebody is asked") { person.questions.count == 1 }
        stream = nil
        try await eventually("the question is withdrawn") { person.wasWithdrawn }
    }
}
