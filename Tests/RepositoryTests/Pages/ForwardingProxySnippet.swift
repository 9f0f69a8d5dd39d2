import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportClient

/// The snippets of ForwardingProxy.md.
enum ForwardingProxySnippet {
    /// One connection of a program.
    final class Forwarded: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        let client: AuthenticatedClient
        var (head, body) = (HTTPRequestHead(version: .http1_1, method: .GET, uri: ""), ByteBuffer())
        var task: Task<Void, Never>?

        init(_ client: AuthenticatedClient) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let next): (head, body) = (next, ByteBuffer())
            case .body(var bytes):
                if body.writeBuffer(&bytes) > 0, body.readableBytes > 1 << 20 { context.close(promise: nil) }
            case .end where context.channel.isActive:
                task = Task { [client, head, body, channel = context.channel] in
                    do {
                        guard head.method == .CONNECT else {
                            return try await client.forward(head, body, on: channel, as: "forwarding-proxy")
                        }
                        let origin = try Origin(parsing: "https://\(head.uri)")
                        try await client.tunnel(channel, from: Forwarded.self, to: origin)
                    } catch {  // such as a refused password, in words; programs show no body after CONNECT
                        let reason = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
                        let status = HTTPResponseStatus.custom(code: 502, reasonPhrase: reason)
                        let reply = HTTPResponseHead(version: .http1_1, status: status)
                        try? await channel.writeAndFlush(HTTPServerResponsePart.head(reply)).get()
                        channel.close(promise: nil)
                    }
                }
            case .end: break
            }
        }

        // The program has left: end its request, and the question for it.
        func channelInactive(context: ChannelHandlerContext) { task?.cancel() }

        // What it sends is not HTTP.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    static func serve(
        _ authenticator: Authenticator,
        _ parent: Origin,
        at address: SocketAddress
    ) async throws -> any Channel {
        var settings = ClientSettings()
        settings.proxy = { _ in parent }
        settings.redirects = 0  // the program follows them itself
        let client = AuthenticatedClient(authenticator, settings: settings)
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var encoding = HTTPResponseEncoder.Configuration()
                    encoding.automaticallySetFramingHeaders = false  // it does not know which responses answer HEAD
                    try channel.pipeline.syncOperations.addHandlers(
                        HTTPResponseEncoder(configuration: encoding),
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
                        HTTPServerPipelineHandler(),
                        Forwarded(client)
                    )
                }
            }
            .bind(to: address).get()
        return server
    }

    static func authenticator(of parent: Origin) throws -> Authenticator {
        let sites = try SiteList(parsing: "\(parent)", name: "parent")
        let profile = SecurityProfile(sites: sites, schemes: [.ntlm, .digest, .basic])
        let handler = CurrentHandler(try ChallengeHandler(profile: profile))
        let authenticator = try Authenticator(handler, prompt: TerminalPrompt())
        return authenticator
    }

    static func ticket(for parent: Origin) throws -> SecurityProfile {
        let sites = try SiteList(parsing: "\(parent)", name: "parent")
        var profile = SecurityProfile(sites: sites, schemes: [.negotiate], kerberos: KerberosMessages())
        // Squid does not prove that it is the server that the ticket is for, so that is not demanded.
        let rules = NegotiateRules(usesKerberos: true, demandsServerProof: false)
        let account = Account(name: "ticket", user: "", credential: .ticket)
        profile.accounts = [AccountAssignment(account, sites: ["\(parent)"], negotiate: rules)]
        return profile
    }
}
