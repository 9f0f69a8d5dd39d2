import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

@testable import SallyportRelay

/// NTLM of a client with a server behind proxies (RFC 4559 section 6), which say `Proxy-Support: Session-Based-Authentication`.
///
/// The oracles are Squid, which writes the field into each such 401, and PyPI's requests_ntlm, which logs on through it. curl 7.88
/// does not log on to this Apache even without a proxy: gss-ntlmssp cannot read its NEGOTIATE.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .squid, .requestsNTLM))
struct LiveSessionsTests {
    /// The proxies on the way.
    enum Way: String, CaseIterable { case squid, relay, relayBeforeSquid }

    private func run(_ way: Way, _ server: GuardedServer, _ body: (UInt16) async throws -> Void) async throws {
        let squid = try OpenSquid(keepsConnections: true)
        defer { withExtendedLifetime(squid) {} }
        if way == .squid { return try await body(squid.port) }
        var rules = try TestRelay.loopback()
        if way == .relay { rules.direct = rules.allowed }
        let parent = try Origin(parsing: "http://127.0.0.1:\(squid.port)")
        try await TestRelay.run(before: parent, destinations: rules) { try await body($0.port) }
    }

    @Test(
        "requests_ntlm and our client log on by NTLM through each proxy, and its 401 says once that it may",
        arguments: Way.allCases
    )
    func logOn(way: Way) async throws {
        let server = try await GuardedServer.started(.apacheNTLM)
        let origin = try server.address(host: "127.0.0.1")
        try await run(way, server) { port in
            let raw = try ByteStream(port: port)
            try raw.send(Array("GET \(origin)\(server.page(0)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
            let head = String(decoding: try raw.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self).lowercased()
            #expect(head.hasPrefix("http/1.1 401 "))
            #expect(head.ranges(of: "proxy-support: session-based-authentication").count == 1, "\(head)")

            let script = """
                import sys, requests, requests_ntlm
                session = requests.Session()
                session.trust_env = False
                session.auth = requests_ntlm.HttpNtlmAuth(sys.argv[1], sys.argv[2])
                session.proxies = {"http": sys.argv[3]}
                print(session.get(sys.argv[4]).status_code, flush=True)
                """
            let other = try HelperProcess([
                "python3", "-c", script, "\(ServerScript.domain)\\jdoe", GuardedServer.password,
                "http://127.0.0.1:\(port)", "\(origin)\(server.page(1))",
            ])
            #expect(try other.readLine() == "200")

            var settings = ClientSettings.patient
            let proxy = try Origin(parsing: "http://127.0.0.1:\(port)")
            settings.proxy = { _ in proxy }
            let client = AuthenticatedClient(CurrentHandler(try server.handler(host: "127.0.0.1")), settings: settings)
            defer { client.shutDown() }
            for number in 2..<5 {
                let request = ClientRequest(origin: origin, target: server.page(number))
                let response = try await client.execute(request, deadline: .now() + .hours(1))
                _ = try await response.body.collect(upTo: 1 << 20)
                #expect(response.status.code == 200, "\(response.outcome)")
            }
        }
        let bad = try server.takeBadLogOns()
        #expect(bad == 0)
    }
}
