import LiveServers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Sallyport
import SallyportNIO
import Testing

@Suite(.inTurn) struct ClientBindingTests {
    /// Where the handler looks for the leaf certificate.
    enum Knowledge: CaseIterable { case pipeline, property, none }

    @Test("NTLM over TLS is bound to the certificate that NIOSSL or the user knows", arguments: Knowledge.allCases)
    func bound(knowledge: Knowledge) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let authority = try TestAuthority("Root")
        let leaf = try authority.leaf("localhost")
        let der = try leaf.der
        let serverContext = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(try leaf.certificate.nio)],
                privateKey: try leaf.source
            )
        )
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: serverContext))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(AskingServer(.ntlm, AskingServer.Counter(), certificate: der))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let site = "https://localhost:\(port)"
        let challenges = try ClientProfile.handler(sites: [site])
        let origin = try Origin(parsing: site)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try authority.own.certificate.nio])
        let clientContext = try NIOSSLContext(configuration: configuration)
        let (client, done) = try await ClientBootstrap(group: group).connectTimeout(.hours(1))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let done = channel.eventLoop.makePromise(of: [String].self)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: clientContext, serverHostname: "localhost"))
                    let handler = AuthenticationClientHandler(challenges, origin: origin)
                    switch knowledge {
                    case .pipeline: break
                    case .property: handler.security = .leaf(der)
                    case .none: handler.security = .unknownLeaf
                    }
                    try pipeline.addAuthenticatingHTTPClientHandlers(handler)
                    try pipeline.addHandler(AnswerCollector(1, done))
                    return (channel, done.futureResult)
                }
            }
        client.write(HTTPClientRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/")), promise: nil)
        try await client.writeAndFlush(HTTPClientRequestPart.end(nil))
        let seen = try await done.get()
        #expect(seen == [knowledge == .none ? "401 GET / 0" : "200 GET / 0"])
        try? await client.close()
        try await server.close()
    }
}
