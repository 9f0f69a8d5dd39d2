import AllowedSites
import Credentials
import Hostnames
import LiveServers
import NIOCore
import NIOSSL
import SPKIPins
import Sallyport
import SallyportNIO
import Secrets
import Testing
import X509

/// `TLSConnector` and `AuthenticationClientHandler` on a channel of the user's own.
@Suite(.inTurn) struct SecureHandlerTests {
    private static let basic =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A user with an account for Basic and, if there is one, the identity "laptop".
    private static func user(
        of site: String,
        trusting root: TestAuthority,
        pins: [PinPolicy.Entry] = [],
        laptop: Keyed? = nil
    ) throws -> LiveUser {
        let account = Account(name: "a", user: "jdoe", password: SharedSecret(utf8: "Secret"))
        var profile = SecurityProfile(
            sites: try SiteList(parsing: site, name: "test"),
            schemes: [.basic],
            accounts: [.init(account, sites: [site])],
            pins: pins
        )
        var settings = TLSSettings.patient
        settings.roots = .certificates([try root.own.der])
        if let laptop {
            let identity = ClientIdentity(name: "laptop", certificateChain: [try laptop.der])
            profile.identities = [.init(identity, sites: [site])]
            settings.identityKeys = ["laptop": try laptop.source]
        }
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        return LiveUser(current, try Origin(parsing: site), try TLSConnector(settings, current))
    }

    /// An https server that asks for Basic.
    private static func server(_ authority: TestAuthority) async throws -> ScriptedServer {
        try await ScriptedServer(tls: authority.leaf("localhost").serverContext) {
            .send($0.field("Authorization") == nil ? basic : ok)
        }
    }

    @Test("The right pin lets the password through", arguments: [nil, "a body"] as [String?])
    func rightPin(body: String?) async throws {
        let root = try TestAuthority("Root")
        let server = try await Self.server(root)
        defer { server.stop() }
        let pins = [try TLSWorld.entry(root.own.pin, host: "localhost")]
        let user = try Self.user(of: "\(server.origin)", trusting: root, pins: pins)
        for _ in 0..<2 { #expect(try await user.ask("/", body: body).status == 200) }
        try await user.close()
        // "jdoe:Secret"; known after the first challenge.
        #expect(
            server.requests.map { $0.field("Authorization") } == [nil]
                + [String?](repeating: "Basic amRvZTpTZWNyZXQ=", count: 2)
        )
    }

    @Test("With another pin, or another root, no byte of a request is sent", arguments: [false, true])
    func wrongPin(isTrusted: Bool) async throws {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let server = try await Self.server(isTrusted ? root : other)
        defer { server.stop() }
        let pins = [try TLSWorld.entry((isTrusted ? other : root).own.pin, host: "localhost")]
        let user = try Self.user(of: "\(server.origin)", trusting: root, pins: pins)
        await #expect(throws: TLSError.self) { try await user.ask("/") }
        #expect(server.requests.isEmpty)
    }

    @Test("nginx sees the identity of the profile", .needs(.nginx), arguments: ["TLSv1.2", "TLSv1.3"])
    func certificate(version: String) async throws {
        let answer = try await Self.answer(version: version, presents: true)
        #expect(answer.status == 200)
        #expect(answer.text.contains("SUCCESS CN=laptop 7 \(version)"), "\(answer.text)")
    }

    @Test(
        "nginx refuses the identity of another authority, and a client without one",
        .needs(.nginx),
        arguments: [false, true]
    )
    func wrongCertificate(presents: Bool) async throws {
        let answer = try await Self.answer(version: "TLSv1.3", presents: presents, isTrusted: false)
        #expect(answer.status == 400)
        #expect(answer.text.contains(presents ? "SSL certificate error" : "No required SSL certificate"))
    }

    private static func answer(
        version: String,
        presents: Bool,
        isTrusted: Bool = true
    ) async throws -> LiveReader.Answer {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let trusted = isTrusted ? clients : try TestAuthority("Clients")
        let nginx = try await NginxWithClients(
            root.leaf("localhost"),
            clients: trusted.own.certificate,
            verify: "on",
            version: version
        )
        let laptop = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "laptop 7"))
        let user = try user(
            of: "https://localhost:\(nginx.port)",
            trusting: root,
            laptop: presents ? laptop : nil
        )
        let answer = try await user.ask("/")
        try await user.close()
        return answer
    }
}
