import ClientAuthentication
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NTLM
import SallyportNIO
import Secrets

/// A server or proxy of ours on loopback, which answers each request with the name of its client.
final class AuthenticatingServer: Sendable {
    static let password = "Correct-Horse"

    let port: Int
    private let channel: any Channel
    private let connections: NIOLockedValueBox<Int>

    /// How many connections came.
    var connectionCount: Int { connections.withLockedValue { $0 } }

    init(
        _ schemes: [ClientScheme],
        party: ChallengedParty = .origin,
        limit: Int = 1_000,
        handler handlerOptions: AuthenticationServerOptions = .patient
    ) async throws {
        var options = ClientAuthenticationOptions(
            party: party,
            realm: "wiki",
            schemes: schemes,
            allowsCleartextBasic: true,
            guesses: GuessRules(perAccount: limit, perAddress: 10 * limit)
        )
        // curl writes no integrity code, which is due after a server's clock.
        options.ntlm = ServerHandshake.Options(computerName: "WIKI", domainName: "ACME", sendsTimestamp: false)
        let secret = ClientSecret.password(SharedSecret(utf8: Self.password))
        let directory = FixedDirectory([
            ClientName(user: "jdoe"): secret, ClientName(user: "jdoe", domain: "ACME"): secret,
            ClientName(user: "ada"): secret, ClientName(user: "Jäsøn"): secret,
        ])
        let authenticator = ClientAuthenticator(options, directory: directory)
        let connections = NIOLockedValueBox(0)
        self.connections = connections
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.withLockedValue { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
                    let codec: [any RemovableChannelHandler] = [HTTPResponseEncoder(), HTTPServerPipelineHandler()]
                    try pipeline.addHandlers([codec[0], decoder, codec[1]])
                    try pipeline.addServerAuthentication(
                        AuthenticationServerHandler(authenticator, options: handlerOptions)
                    )
                    try pipeline.addHandler(NamingResponder(codec))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    var origin: Origin { get throws { try Origin(parsing: "http://localhost:\(port)") } }

    func stop() { channel.close(promise: nil) }

    /// Runs a client program; returns its output and exit status. Blocks its thread.
    static func run(_ command: [String], environment: [String: String] = [:]) throws -> (output: String, status: Int32)
    {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = environment.map { "\($0)=\($1)" } + command
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }
}

/// Answers with client, method, target and the bytes of the body; a tunnel answers every byte with `tunnel`.
private final class NamingResponder: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let codec: [any RemovableChannelHandler]
    private var client = "nobody"
    private var head: HTTPRequestHead?
    private var bytes = 0

    init(_ codec: [any RemovableChannelHandler]) { self.codec = codec }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case AuthenticationServerEvent.accepted(let client) = event { self.client = "\(client)" }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (self.head, bytes) = (head, 0)
            if head.headers.contains(name: "Expect") {
                context.writeAndFlush(wrapOutboundOut(.head(.init(version: .http1_1, status: .continue))), promise: nil)
            }
        case .body(let body): bytes += body.readableBytes
        case .end: respond(context)
        }
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard let head else { return }
        let answers = head.headers["Authorization"] + head.headers["Proxy-Authorization"]
        let text = "\(client) \(head.method) \(head.uri) \(bytes)\(answers.isEmpty ? "" : " with an answer")\n"
        var response = HTTPResponseHead(version: .http1_1, status: .ok)
        if head.method == .CONNECT {
            // Without it the encoder would write chunks into the tunnel.
            response.headers.add(name: "Content-Length", value: "0")
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            let pipeline = context.pipeline.syncOperations
            let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            for handler in codec + [decoder].compactMap(\.self) { pipeline.removeHandler(handler, promise: nil) }
            try? pipeline.addHandler(TunnelResponder(client), position: .after(self))
            pipeline.removeHandler(self, promise: nil)
            return
        }
        response.headers.add(name: "Content-Length", value: "\(text.utf8.count)")
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// The server at the other end of a tunnel.
private final class TunnelResponder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let client: String

    init(_ client: String) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = "\(client) in a tunnel\n"
        let response = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response)), promise: nil)
    }
}
