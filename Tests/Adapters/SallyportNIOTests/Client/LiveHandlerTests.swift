import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO
import Testing

/// Real servers and proxies, asked through a bare NIO pipeline.
@Suite(.ownThreads, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct LiveHandlerTests {
    @Test("A right password is accepted, with and without a body", arguments: GuardedServer.Kind.matrix)
    func right(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let user = try LiveUser(server, GuardedServer.password)
        for number in 0..<3 {
            let sendsBody = number == 1
            let body = sendsBody ? String(repeating: "x", count: 100_000) : nil
            let status = try await user.ask(server.page(number), body: body)
            // Not every server takes a POST to a file.
            if body == nil { #expect(status == 200) } else { #expect(status != 401 && status != 407) }
        }
        #expect(try server.takeBadLogOns() == 0)
        try await user.close()
    }

    @Test("A wrong password is sent once", arguments: GuardedServer.Kind.matrix)
    func wrong(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let user = try LiveUser(server, "Wrong")
        for number in 0..<3 { #expect(try await user.ask(server.page(number)) == (server.isProxy ? 407 : 401)) }
        #expect(try server.takeBadLogOns() == 1)
        try await user.close()
    }

    @Test("A tunnel through Squid", arguments: GuardedServer.Kind.squid, [GuardedServer.password, "Wrong"])
    func tunnel(kind: GuardedServer.Kind, password: String) async throws {
        let server = try await GuardedServer.started(kind)
        let challenges = CurrentHandler(try server.handler(password: password))
        let (proxy, origin) = (try server.address(), try server.openOrigin)
        let (channel, opened) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "localhost", port: Int(proxy.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let opened = channel.eventLoop.makePromise(of: Void.self)
                    let tunnel = ProxyTunnelHandler(challenges, to: origin, through: proxy, opened: opened)
                    try channel.pipeline.syncOperations.addHandler(tunnel)
                    return (channel, opened.futureResult)
                }
            }
        do {
            try await opened.get()
            #expect(password == GuardedServer.password)
        } catch ProxyTunnelError.refused(407, _, .withheld(.credentialsRefused, by: .proxy)) {
            #expect(password == "Wrong")
        }
        #expect(try server.takeBadLogOns() == (password == "Wrong" ? 1 : 0))
        try? await channel.close()
    }
}

/// Sends one request after the other, and opens a connection whenever the handler asks for one.
private final class LiveUser {
    private let challenges: CurrentHandler
    private let address: Origin
    private let origin: Origin
    private let route: RequestRoute
    private var channel: (any Channel)?

    init(_ server: GuardedServer, _ password: String) throws {
        challenges = CurrentHandler(try server.handler(password: password))
        address = try server.address()
        origin = server.isProxy ? try server.openOrigin : address
        route = server.isProxy ? .forwarded(by: address) : .direct
    }

    func close() async throws { try? await channel?.close() }

    /// The status of the last response to one request.
    func ask(_ target: String, body: String? = nil) async throws -> Int {
        var continuing: ContinuedRequest?
        for _ in 0..<5 {
            let channel = try await connection(continuing)
            let answered = channel.eventLoop.makePromise(of: StatusReader.Answer.self)
            channel.eventLoop.scheduleTask(in: .minutes(2)) {
                answered.fail(ChannelError.connectTimeout(.minutes(2)))
            }
            try await channel.pipeline.addHandler(StatusReader(answered)).get()
            if continuing == nil { try await write(target, body, to: channel) }
            do {
                let answer = try await answered.futureResult.get()
                // lighttpd closes after a wrong password, and after a body that it did not read.
                if !answer.isKeptAlive {
                    try? await channel.close()
                    self.channel = nil
                }
                return answer.status
            } catch AuthenticationError.connectionNeeded(let request) {
                continuing = request
                self.channel = nil
            }
        }
        throw ChannelError.eof
    }

    private func write(_ target: String, _ body: String?, to channel: any Channel) async throws {
        var head = HTTPRequestHead(version: .http1_1, method: body == nil ? .GET : .POST, uri: target)
        head.headers.add(name: "Host", value: "\(origin.host):\(origin.port)")
        if let body { head.headers.add(name: "Content-Length", value: "\(body.utf8.count)") }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body { channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil) }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    private func connection(_ continuing: ContinuedRequest?) async throws -> any Channel {
        if continuing == nil, let channel, channel.isActive { return channel }
        let (challenges, origin, route) = (challenges, origin, route)
        let opened = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .connect(host: "localhost", port: Int(address.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = AuthenticationClientHandler(
                        challenges,
                        origin: origin,
                        route: route,
                        continuing: continuing
                    )
                    try channel.pipeline.syncOperations.addAuthenticatingHTTPClientHandlers(handler)
                    return channel
                }
            }
        channel = opened
        return opened
    }
}

/// Reads one response by hand, and then leaves. One event loop uses it.
private final class StatusReader: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart

    struct Answer {
        var status = 0
        var isKeptAlive = true
    }

    private let answered: EventLoopPromise<Answer>
    private var answer = Answer()

    init(_ answered: EventLoopPromise<Answer>) { self.answered = answered }

    func handlerAdded(context: ChannelHandlerContext) { context.read() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): answer = Answer(status: Int(head.status.code), isKeptAlive: head.isKeepAlive)
        case .body: return
        case .end:
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            answered.succeed(answer)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.read() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answered.fail(error) }

    func channelInactive(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }
}
