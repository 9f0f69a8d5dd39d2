import ChallengeHandling
import ClientAuthentication
import Crypto
import Foundation
import HTTPAuthentication
import HTTPTypes
import Hostnames
import LiveServers
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import SPKIPins
import Sallyport
import SallyportClient
import SallyportGateway
import SallyportNIO
import Secrets
import Synchronization
import TestSupport
import Testing

/// The snippets of the pages about schemes, handlers and servers, which reach no server of another program.
@Suite(.inTurn, .serialized) struct HandlingSnippetTests {
    private static let password = SharedSecret(utf8: "open sesame")
    /// RFC 7617 section 2: the characters of user and password in Base64.
    private static let basic = "Basic " + Data("jdoe:open sesame".utf8).base64EncodedString()
    private static let refusal: (status: Int, fields: HTTPFields) = (401, [.wwwAuthenticate: #"Basic realm="wiki""#])

    private static func profile() throws -> SecurityProfile {
        SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "sites"),
            schemes: [.basic],
            accounts: [.init(Account(name: "jdoe", user: "jdoe", password: password), sites: ["*.acme.example"])]
        )
    }

    @Test("An exchange answers Basic, and hands back what needs no answer") func exchange() async throws {
        var sent: [HTTPField] = []
        let success: HTTPAuthenticationSnippet.Response = (200, [:])
        for (response, isResult) in [(Self.refusal, false), (success, true)] {
            let result = try await HTTPAuthenticationSnippet.basic(Self.password, response) { _ in
                .unavailable
            } repeatRequest: { field, _ in
                sent.append(field)
            }
            #expect((result != nil) == isResult)
        }
        #expect(sent.map(\.value) == [Self.basic] && sent.map(\.name) == [.authorization])
    }

    @Test("A key goes along beside the answer of another account") func placedKey() throws {
        let secret = SharedSecret(utf8: "k3y")
        let handler = try UsingAPIKeysSnippet.placing(Self.profile(), secret, site: "*.acme.example")
        var request = handler.authentication(
            of: OutgoingRequest(origin: try Origin(parsing: "https://gis.acme.example"))
        )
        _ = request.begin()
        guard case .send(let sending) = request.received(status: Self.refusal.status, fields: Self.refusal.fields)
        else {
            Issue.record("it is not answered")
            return
        }
        #expect(sending.fields.map { $0.name.rawName } == ["Authorization", "X-Esri-Authorization"])
        #expect(sending.fields.map(\.value) == [Self.basic, "Bearer k3y"])
    }

    @Test("A gateway listens where it is told to") func gateway() async throws {
        let folder = try TemporaryFolder("gateway")
        let path = try folder.write("jdoe:{PLAIN}open sesame\n", "clients")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let socket = folder.url.appending(path: "g.sock").path
        let gateway = try await SallyportGatewaySnippet.gateway(path, "unix:\(socket)")
        #expect(FileManager.default.fileExists(atPath: socket))
        await gateway.stop()
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("A file of accounts lets its clients in") func accounts() async throws {
        let folder = try TemporaryFolder("accounts")
        let path = try folder.write("jdoe:{PLAIN}open sesame\n", "clients")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let authenticator = try ClientDirectoriesSnippet.authenticator(path)
        var connection = authenticator.connection(from: "192.0.2.7", isEncrypted: true)
        let fields: HTTPFields = [.proxyAuthorization: Self.basic]
        guard
            case .ask(let question) = connection.received(method: "GET", target: "http://wiki.example/", fields: fields),
            case .accept(let acceptance) = connection.replied(
                try await question.ask(authenticator.directory),
                to: question
            )
        else {
            Issue.record("it is not let in")
            return
        }
        #expect(acceptance.client.name == ClientName("jdoe"))
    }

    @Test("A session of Digest answers the next request in advance") func digest() async throws {
        var exchange = AuthenticationExchange.digest(
            PasswordCredential(user: "jdoe", password: Self.password),
            party: .origin,
            request: ExchangeRequest(method: "GET", target: "/", host: "wiki.acme.example")
        )
        let challenge = #"Digest realm="wiki", nonce="n", qop="auth", algorithm=SHA-256"#
        _ = exchange.received(status: 401, fields: [.wwwAuthenticate: challenge])
        #expect(exchange.received(status: 200, fields: [:]) == .done)
        var sent: [String] = []
        let response = try await HTTPAuthenticationSnippet.digest(exchange) { field in
            sent.append(field.value)
            return (200, [:])
        }
        #expect(response?.status == 200 && sent.count == 1)
        #expect(sent[0].contains(#"uri="/reports""#) && sent[0].contains("nc=00000002"), "\(sent)")
    }

    @Test("The handler answers, withholds, and passes on") func decisions() async throws {
        var sent = 0
        for (host, expected) in [("wiki.acme.example", 1), ("evilacme.example", 0)] {
            sent = 0
            let origin = try Origin(parsing: "https://\(host)")
            let result = try await decide(origin, Self.refusal) { _ in sent += 1 }
            #expect(result == nil && sent == expected, "\(host)")
        }
        let origin = try Origin(parsing: "https://wiki.acme.example")
        let passed = try await decide(origin, (200, [:])) { _ in Issue.record("an answer without a challenge") }
        #expect(passed?.status == 200)
    }

    private func decide(
        _ origin: Origin,
        _ response: ChallengeHandlingSnippet.Response,
        repeatRequest: (ChallengeAnswer) -> Void
    ) async throws -> ChallengeHandlingSnippet.Response? {
        try await ChallengeHandlingSnippet.decide(
            Self.profile(),
            origin,
            leaf: [0x30, 0],
            response,
            fetch: { _ in .unavailable },
            repeatRequest: repeatRequest
        )
    }

    @Test("A changed profile does not bring back a refused password") func reload() throws {
        let request = ChallengedRequest(
            origin: try Origin(parsing: "https://wiki.acme.example"),
            method: "GET",
            target: "/"
        )
        let handler = try ChallengeHandler(profile: Self.profile(), at: 0)
        var exchange = handler.exchange(for: request)
        for _ in 0..<2 { _ = exchange.received(status: 401, fields: Self.refusal.fields) }
        var next = try ReloadSnippet.reload(Self.profile(), after: handler).exchange(for: request)
        #expect(next.received(status: 401, fields: Self.refusal.fields) == .withhold(.budgetSpent(account: "jdoe")))
    }

    @Test("A proxy asks a client without an answer") func server() async {
        var refusals: [(Int, [String])] = []
        await ClientAuthenticationSnippet.decide(Self.password, [:]) { _ in
            Issue.record("nobody was asked")
        } respond: { status, fields in
            refusals.append((status, fields[values: .proxyAuthenticate]))
        }
        #expect(refusals.map(\.0) == [407])
        #expect(refusals.first?.1.contains("NTLM") == true && refusals.first?.1.count == 2)
    }

    @Test("An update that was signed opens, and is in use") func pinUpdate() throws {
        let (key, next) = (Curve25519.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        let entry = PinPolicy.Entry(
            host: "wiki.acme.example",
            pins: [PositionedPin(Pin(hashing: [1].span))],
            backup: .pins([PositionedPin(Pin(hashing: [2].span))]),
            expiry: nil
        )
        let policy = try PinPolicy(compiling: [entry], version: 2, at: 0)
        func compiled(above version: UInt64) throws -> CompiledProfile {
            try PinUpdatesSnippet.update(
                policy,
                privateKey: Array(key.rawRepresentation),
                publicKey: Array(key.publicKey.rawRepresentation),
                nextPublicKey: Array(next.publicKey.rawRepresentation),
                above: version,
                Self.profile(),
                now: 0
            )
        }
        let other = ServerTrust(
            host: try Hostname(parsing: "wiki.acme.example"),
            chain: try ValidatedChain(assertingValidated: [TestAuthority("Root").leaf("wiki.acme.example").der])
        )
        let decision = ChallengeHandler(try compiled(above: 1)).evaluate(other, now: 0)
        guard case .rejected = decision else {
            Issue.record("the update's pins do not count: \(decision)")
            return
        }
        #expect(throws: PinUpdateError.rolledBack(version: 2, floor: 2)) { try compiled(above: 2) }
        let update = try PinUpdate.sign(policy, with: Array(key.rawRepresentation))
        let folder = try TemporaryFolder("pins")
        let result = try PinUpdatesSnippet.install(
            update,
            Array(key.publicKey.rawRepresentation),
            at: folder.path("pins.image")
        )
        #expect(result == .installed(version: 2, before: nil))
    }

    @Test("Events become lines of a log") func telemetry() throws {
        let messages = Mutex<[String]>([])
        var logger = Logger(label: "test") { _ in KeptLog { line in messages.withLock { $0.append(line) } } }
        logger.logLevel = .trace
        let handler = try SallyportTelemetrySnippet.handler(Self.profile(), logger)
        var authentication = handler.authentication(of: try OutgoingRequest(url: "https://wiki.acme.example/"))
        _ = authentication.begin()
        _ = authentication.received(status: 401, fields: Self.refusal.fields, on: .http1)
        _ = authentication.received(status: 200, fields: [:], on: .http1)
        #expect(!messages.withLock { $0 }.isEmpty)
    }

    @Test("A server of one's own knows who sends a request") func ownServer() async throws {
        let bootstrap = ProxySnippet.bootstrap(.singletonMultiThreadedEventLoopGroup, Self.password)
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        let proxy = try Origin(parsing: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
        let account = Account(name: "jdoe", user: #"ACME\jdoe"#, password: Self.password)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(proxy)", name: "test"),
            schemes: [.digest],
            accounts: [.init(account, sites: ["\(proxy)"])]
        )
        var settings = ClientSettings.patient
        settings.proxy = { _ in proxy }
        let client = AuthenticatedClient(CurrentHandler(try ChallengeHandler(profile: profile)), settings: settings)
        defer { client.shutDown() }
        let response = try await client.execute(.init(url: "http://wiki.example/"), deadline: .now() + .patient)
        #expect(response.status == .ok, "\(response.outcome)")
        #expect(String(buffer: try await response.body.collect(upTo: 100)) == "jdoe")
    }
}

/// What the page leaves to its reader: answers each request with the name of its sender.
final class Application: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private var user = ""

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .accepted(let name) = event as? AuthenticationServerEvent { user = name.name.user }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "\(user.utf8.count)"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: user)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// Hands on the messages of a logger.
private struct KeptLog: LogHandler {
    let keep: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ keep: @escaping @Sendable (String) -> Void) { self.keep = keep }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { keep("\(event.message)") }
}
