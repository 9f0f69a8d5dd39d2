import LiveServers
import NIOCore
import Sallyport
import TestSupport
import Testing

@testable import SallyportClient

@Suite(.inTurn) struct ConnectionPoolTests {
    @Test("A request that needs a new connection gets none that another one has used, also if it waits at the bound")
    func freshAtTheBound() async throws {
        let server = try await ScriptedServer { _ in .send(OneAccount.ok) }
        defer { server.stop() }
        let client = try OneAccount.client(server) { $0.connectionsPerKey = 1 }
        let key = client.current.handler.poolKey(for: server.origin, path: "/")
        for _ in 0..<20 {
            // The only connection is busy until the body is read.
            let first = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
            async let fresh = client.pool.lease(key, isFresh: true)
            // Mostly it waits by then; what it gets must not depend on that.
            for _ in 0..<100 { await Task.yield() }
            _ = try await first.body.collect(upTo: 2)
            let isNew = try await fresh.map { _ in false } ?? true
            #expect(isNew)
            client.pool.closed(key)
        }
    }
}
