import ClientAuthentication
import Foundation
import HTTPAuthentication
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NTLM
import SallyportNIO
import Secrets
import WireFormat

/// A server of ours that takes tickets of Kerberos, for tests that need an environment of their own.
///
/// ```
/// serve [--keytab FILE] [--kerberos-only] [--proxy] [--shared] [--no-proof]
///       [--tls CERTIFICATE KEY] [--binding DIGITS]
/// ```
///
/// It prints its port, then a line for each refusal, and ends with its standard input. The account `ACME\jdoe` has the password
/// `Correct-Horse` for NTLM. Each page names the client.
enum TicketServer {
    static func run(_ words: [String]) async {
        do {
            let options = Options(words)
            let channel = try await serve(options)
            say("port \(channel.localAddress?.port ?? 0)")
            while let line = readLine() { say(line) }
        } catch {
            say("error \(error)")
        }
    }

    private static func serve(_ options: Options) async throws -> any Channel {
        var ntlm = ServerHandshake.Options(
            computerName: "WIKI",
            domainName: "ACME",
            dnsComputerName: "wiki.acme.test",
            sendsTimestamp: false
        )
        if let digits = options["binding"] {
            let bytes = try Hexadecimal.decode(digits)
            ntlm.channelBindings = .required([ChannelBindings(applicationData: bytes.span)])
        }
        let rules = ClientAuthenticationOptions(
            party: options.has("proxy") ? .proxy : .origin,
            realm: "wiki",
            schemes: [.negotiate],
            ntlm: ntlm,
            kerberos: try KerberosKeytab(options["keytab"]),
            negotiatesNTLM: !options.has("kerberos-only")
        )
        let directory = FixedDirectory([
            ClientName(user: "jdoe", domain: "ACME"): .password(SharedSecret(utf8: "Correct-Horse"))
        ])
        let authenticator = ClientAuthenticator(rules, directory: directory)
        let security = try options.security
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let security { try pipeline.addHandler(NIOSSLServerHandler(context: security)) }
                    try pipeline.configureHTTPServerPipeline()
                    let handler = AuthenticationServerHandler(
                        authenticator,
                        // A machine that has much to do takes longer than the usual ten seconds.
                        options: AuthenticationServerOptions(
                            directoryPatience: .hours(1),
                            isPinned: !options.has("shared")
                        )
                    )
                    try pipeline.addServerAuthentication(handler)
                    // Nearer to the client than the handler that writes the proof.
                    if options.has("no-proof") {
                        try pipeline.addHandler(ProofRemover(), position: .before(handler))
                    }
                    try pipeline.addHandler(NamingResponder())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

extension Options {
    fileprivate var security: NIOSSLContext? {
        get throws {
            guard let certificate = value("tls", 1), let key = value("tls", 2) else { return nil }
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            return try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain,
                    privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))
                )
            )
        }
    }
}

/// Takes the server's proof out of responses that are no challenge, as an impostor would.
private final class ProofRemover: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status == .ok else {
            context.write(data, promise: promise)
            return
        }
        for name in ["WWW-Authenticate", "Proxy-Authenticate"] { head.headers.remove(name: name) }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

/// Answers each request with its client.
private final class NamingResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var client = "nobody"

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case AuthenticationServerEvent.accepted(let name): client = "\(name)\(name.isBoundToChannel ? " bound" : "")"
        case AuthenticationServerEvent.refused(let reason): say("refused \(reason)")
        case AuthenticationServerEvent.directoryFailed(let error): say("failed \(error.map { "\($0)" } ?? "")")
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        var head = HTTPResponseHead(version: .http1_1, status: .ok)
        let text = "\(client)\n"
        head.headers.add(name: "Content-Length", value: "\(text.utf8.count)")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
