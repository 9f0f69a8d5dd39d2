import LiveServers
import MatrixClients
import Sallyport
import SallyportNIO
import TestSupport
import Testing

/// A server whose key the profile pins.
@Suite(.inTurn) struct PinnedServerTests {
    @Test("The right pin lets the password through", .row(76), arguments: MatrixClient.allCases, [false, true])
    func right(client: MatrixClient, postsOnce: Bool) async throws {
        let root = try TestAuthority("Root")
        let server = try await Self.server(root)
        defer { server.stop() }
        let current = try MatrixProfile.current(
            [.init(sites: [server.origin])],
            [.basic],
            pins: [try root.own.entry(host: "localhost")]
        )
        try await client.run(current, trusting: root) { running in
            for _ in 0..<2 {
                let request = MatrixRequest(origin: server.origin, body: postsOnce ? .once : .none)
                let reply = try await running.send(request)
                #expect(reply.status == 200)
            }
        }
        #expect(server.requests.contains { $0.field("Authorization") != nil })
    }

    @Test(
        "With another pin, or another root, no byte of a request is sent",
        .row(83),
        arguments: MatrixClient.allCases,
        [false, true]
    )
    func wrong(client: MatrixClient, isTrusted: Bool) async throws {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let server = try await Self.server(isTrusted ? root : other)
        defer { server.stop() }
        // The pin is that of an authority that did not issue the server's certificate.
        let pinned = isTrusted ? other : root
        let current = try MatrixProfile.current(
            [.init(sites: [server.origin])],
            [.basic],
            pins: [try pinned.own.entry(host: "localhost")]
        )
        try await client.run(current, trusting: root) { running in
            await #expect(throws: TLSError.self) { try await running.send(MatrixRequest(origin: server.origin)) }
        }
        #expect(server.requests.isEmpty)
    }

    private static func server(_ authority: TestAuthority) async throws -> ScriptedServer {
        try await ScriptedServer(tls: authority.leaf("localhost").serverContext) {
            .send($0.field("Authorization") == nil ? Responses.basic : Responses.accepts($0))
        }
    }
}
