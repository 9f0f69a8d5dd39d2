import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import SPKIPins
import Sallyport
import SallyportClient
import SallyportNIO
import Secrets
import Testing

/// https, directly and in tunnels.
@Suite(.inTurn, .serialized) struct SecureClientTests {
    private static let basic =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// An https server that asks for Basic.
    private func server(_ root: TestAuthority) async throws -> ScriptedServer {
        try await ScriptedServer(tls: root.leaf("localhost").serverContext) {
            $0.field("Authorization") == nil ? .send(Self.basic) : .send(Self.ok)
        }
    }

    private func client(
        _ sites: [String],
        _ schemes: [AuthenticationScheme],
        _ root: TestAuthority,
        pins: [PinPolicy.Entry] = [],
        password: String = GuardedServer.password,
        proxy: Origin? = nil
    ) throws -> AuthenticatedClient {
        let account = Account(
            name: "a",
            user: "jdoe",
            domain: schemes.contains(.ntlm) ? ServerScript.domain : nil,
            password: SharedSecret(utf8: password)
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites.joined(separator: "\n"), name: "test"),
            schemes: schemes,
            accounts: [.init(account, sites: sites, allowsCleartext: true)],
            pins: pins
        )
        let current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        var tls = TLSSettings.patient
        tls.roots = .certificates([try root.own.der])
        var settings = ClientSettings.patient
        if let proxy { settings.proxy = { _ in proxy } }
        return AuthenticatedClient(current, settings: settings, tls: try TLSConnector(tls, current))
    }

    private func soon() -> NIODeadline { .now() + .hours(1) }

    @Test("A verified server gets the password", arguments: [false, true]) func verified(isPinned: Bool) async throws {
        let root = try TestAuthority("Root")
        let server = try await server(root)
        defer { server.stop() }
        let pins = isPinned ? [try TLSWorld.entry(root.own.pin, host: "localhost")] : []
        let client = try client(["\(server.origin)"], [.basic], root, pins: pins)
        let response = try await client.execute(ClientRequest(origin: server.origin), deadline: soon())
        #expect(response.status == .ok && response.outcome == .accepted)
    }

    @Test("A server with another pin, or of another root, gets no byte of a request", arguments: [false, true])
    func rejected(isPinned: Bool) async throws {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let server = try await server(isPinned ? root : other)
        defer { server.stop() }
        let pins = isPinned ? [try TLSWorld.entry(other.own.pin, host: "localhost")] : []
        let client = try client(["\(server.origin)"], [.basic], root, pins: pins)
        await #expect(throws: TLSError.self) {
            try await client.execute(ClientRequest(origin: server.origin), deadline: soon())
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "Through a tunnel proxy and origin ask, and each gets its own answer",
        .needs(.squid, .pyspnego),
        arguments: GuardedServer.Kind.squid
    )
    func tunnel(kind: GuardedServer.Kind) async throws {
        let root = try TestAuthority("Root")
        let server = try await server(root)
        defer { server.stop() }
        let squid = try await GuardedServer.started(kind)
        let proxy = try squid.address()
        let schemes = kind.scheme == .basic ? [.basic] : [kind.scheme, .basic]
        let client = try client(["\(server.origin)", "\(proxy)"], schemes, root, proxy: proxy)
        for _ in 0..<3 {
            let response = try await client.execute(ClientRequest(origin: server.origin), deadline: soon())
            #expect(response.status == .ok)
            _ = try await response.body.collect(upTo: 10)
        }
        #expect(try squid.takeBadLogOns() == 0)
        #expect(server.requests.allSatisfy { $0.field("Proxy-Authorization") == nil })
        #expect(server.requests.count == 4)
    }

    @Test(
        "What a proxy sends behind its response to CONNECT is the server's: TLS judges it",
        arguments: ["SSH-2.0-x\r\n", "\0"]
    )
    func behindTheResponse(bytes: String) async throws {
        let root = try TestAuthority("Root")
        let proxy = try await ScriptedServer { request in
            request.head.hasPrefix("CONNECT")
                ? .send("HTTP/1.1 200 Yes\r\n\r\n" + bytes + String(repeating: "x", count: 64)) : .hang
        }
        defer { proxy.stop() }
        let client = try client(["https://localhost"], [.basic], root, proxy: proxy.origin)
        // If these bytes were dropped, the handshake would wait for the server's, which never come.
        await #expect(throws: TLSError.self) {
            try await client.execute(ClientRequest(origin: try Origin(parsing: "https://localhost")), deadline: soon())
        }
    }

    @Test("The reason phrase of a refused tunnel is in the error, in one line and with a bound")
    func reasonOfRefusedTunnel() async throws {
        let root = try TestAuthority("Root")
        let long = String(repeating: "x", count: 1_000)
        let proxy = try await ScriptedServer { _ in
            .send("HTTP/1.1 502 Bad\u{e9}gate \(long)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { proxy.stop() }
        let client = try client(["https://localhost"], [.basic], root, proxy: proxy.origin)
        do {
            _ = try await client.execute(
                ClientRequest(origin: try Origin(parsing: "https://localhost")),
                deadline: soon()
            )
            Issue.record("the tunnel is open")
        } catch let error as ClientError {
            guard case .tunnelRefused(502, let reason, .notChallenged, _) = error else { throw error }
            #expect(reason.hasPrefix("Bad??gate xxx") && reason.hasSuffix("x...") && reason.utf8.count == 240)
            #expect("\(error)".contains("502 Bad??gate xxx"))
        }
    }

    @Test(
        "A proxy that refuses the password refuses the tunnel, and gets it once",
        .needs(.squid, .pyspnego),
        arguments: GuardedServer.Kind.squid
    )
    func refusedTunnel(kind: GuardedServer.Kind) async throws {
        let root = try TestAuthority("Root")
        let server = try await server(root)
        defer { server.stop() }
        let squid = try await GuardedServer.started(kind)
        let proxy = try squid.address()
        let client = try client(["\(proxy)"], [kind.scheme], root, password: "Wrong", proxy: proxy)
        for _ in 0..<3 {
            do {
                _ = try await client.execute(ClientRequest(origin: server.origin), deadline: soon())
                Issue.record("the tunnel is open")
            } catch ClientError.tunnelRefused(let status, _, let outcome, let offered) {
                #expect(status == 407 && !offered.challenges(of: kind.scheme).isEmpty)
                guard case .withheld(_, by: .proxy) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
        }
        #expect(try squid.takeBadLogOns() == 1)
        #expect(server.requests.isEmpty)
    }
}
