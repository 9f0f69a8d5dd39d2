import LiveServers
import MatrixClients
import NIOCore
import Sallyport
import SallyportClient
import Testing

/// Connections that no request uses, for each client.
@Suite(.inTurn) struct IdleConnectionTests {
    @Test("Idle connections are closed on demand, and the next request opens one", arguments: MatrixClient.allCases)
    func closing(client: MatrixClient) async throws {
        let server = try await ScriptedServer {
            .send($0.field("Authorization") == nil ? Responses.basic : Responses.accepts($0))
        }
        defer { server.stop() }
        let current = try MatrixProfile.current([.init(sites: [server.origin])], [.basic])
        var settings = ClientSettings.patient
        settings.idleLimit = .hours(1)
        try await client.run(current, settings) { running in
            // AsyncHTTPClient's adapter uses a connection of its own for such a body.
            let request = MatrixRequest(origin: server.origin, body: .once)
            #expect(try await running.send(request).status == 200)
            let connections = server.connections
            running.closeIdleConnections()
            try await Chaos.expectClosed(server)
            #expect(try await running.send(request).status == 200)
            #expect(server.connections > connections)
        }
    }
}
