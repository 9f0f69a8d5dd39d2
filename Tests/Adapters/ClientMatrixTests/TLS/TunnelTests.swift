import LiveServers
import MatrixClients
import Sallyport
import SallyportClient
import TestSupport
import Testing

/// https through a proxy that asks.
@Suite(.inTurn, .serialized, .needs(.squid, .pyspnego)) struct TunnelTests {
    @Test(
        "Proxy and origin get their own answers",
        .row(3, 22),
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.squid
    )
    func right(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let (root, server) = try await Self.server()
        defer { server.stop() }
        let squid = try await GuardedServer.started(kind)
        let visitor = MatrixProfile.User(name: "visitor", password: "Other", sites: [server.origin])
        let current = try MatrixProfile.current(
            [try MatrixProfile.user(of: squid), visitor],
            kind.scheme == .basic ? [.basic] : [kind.scheme, .basic]
        )
        try await client.run(current, try squid.route().settings, trusting: root) { running in
            for body in [MatrixRequest.Body.none, .none, .kept] {
                let reply = try await running.send(MatrixRequest(origin: server.origin, body: body))
                #expect(reply.status == 200)
            }
        }
        #expect(try squid.takeBadLogOns() == 0)
        #expect(server.requests.allSatisfy { $0.field("Proxy-Authorization") == nil })
        // "visitor:Other"; the first request goes out without it.
        let answers = server.requests.map { $0.field("Authorization") }
        #expect(answers.first == .some(nil))
        #expect(answers.dropFirst().allSatisfy { $0 == "Basic dmlzaXRvcjpPdGhlcg==" })
    }

    @Test(
        "A wrong password reaches the proxy once, and opens no tunnel",
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.squid
    )
    func wrong(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let (root, server) = try await Self.server()
        defer { server.stop() }
        let squid = try await GuardedServer.started(kind)
        let current = CurrentHandler(try squid.handler(password: "Wrong"))
        try await client.run(current, try squid.route().settings, trusting: root) { running in
            for _ in 0..<3 {
                do {
                    let reply = try await running.send(MatrixRequest(origin: server.origin))
                    Issue.record("the tunnel is open: \(reply.status)")
                } catch ClientError.tunnelRefused(407, _, .withheld(_, by: .proxy), let offered) {
                    #expect(!offered.challenges(of: kind.scheme).isEmpty)
                }
            }
        }
        #expect(try squid.takeBadLogOns() == 1)
        #expect(server.connections == 0)
    }

    /// An https server that asks for Basic.
    private static func server() async throws -> (TestAuthority, ScriptedServer) {
        let root = try TestAuthority("Root")
        let server = try await ScriptedServer(tls: root.leaf("localhost").serverContext) {
            .send($0.field("Authorization") == nil ? Responses.basic : Responses.ok)
        }
        return (root, server)
    }
}
