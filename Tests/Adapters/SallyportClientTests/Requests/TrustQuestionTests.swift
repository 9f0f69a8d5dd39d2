import LiveServers
import NIOCore
import NIOHTTP1
import SPKIPins
import Sallyport
import SallyportClient
import SallyportNIO
import Synchronization
import TestSupport
import Testing

/// A person decides about a server that no authority vouches for.
@Suite(.inTurn, .serialized) struct TrustQuestionTests {
    private let leaf: Keyed
    private let server: ScriptedServer

    init() async throws {
        leaf = try TestAuthority("Stranger").leaf("localhost")
        server = try await ScriptedServer(tls: leaf.serverContext) { _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    private func profile(_ pins: [PinPolicy.Entry]) throws -> SecurityProfile {
        let sites = try SiteList(parsing: "\(server.origin)", name: "test")
        return SecurityProfile(sites: sites, schemes: [.basic], pins: pins)
    }

    private func world(
        pins: [PinPolicy.Entry] = [],
        _ reply: @escaping Authenticator.ServerTrustSource
    ) throws -> (client: AuthenticatedClient, authenticator: Authenticator) {
        let current = CurrentHandler(try ChallengeHandler(profile: profile(pins), at: 0))
        let authenticator = try Authenticator(current, serverTrust: reply)
        var tls = TLSSettings.patient
        tls.roots = .certificates([])
        return (
            AuthenticatedClient(authenticator, settings: .patient, tls: try TLSConnector(tls, current)), authenticator
        )
    }

    private func get(_ client: AuthenticatedClient) async throws -> HTTPResponseStatus {
        let response = try await client.execute(ClientRequest(origin: server.origin), deadline: .now() + .hours(1))
        _ = try await response.body.collect(upTo: 10)
        return response.status
    }

    @Test("The question has the chain, the reason and the pin; the key is trusted until the sign-out", .row(73))
    func trusted()
        async throws
    {
        defer { server.stop() }
        let questions = Mutex<[UntrustedServer]>([])
        let (client, authenticator) = try world { server in
            questions.withLock { $0.append(server) }
            return .trust(until: .max)
        }
        for _ in 0..<3 { #expect(try await get(client) == .ok) }
        client.closeIdleConnections()
        #expect(try await get(client) == .ok)
        // Another profile does not change what a person has decided.
        try authenticator.reload(CompiledProfile(profile([]), at: 0))
        #expect(try await get(client) == .ok)
        let asked = questions.withLock { $0 }
        #expect(asked.count == 1)
        let (bytes, pin) = (try leaf.der, try leaf.pin)
        #expect(asked.first?.origin == server.origin && asked.first?.chain == [bytes])
        #expect(asked.first?.pin == pin && asked.first?.reason.contains("CN=Stranger") == true)
        #expect(asked.first?.details?.issuer == "CN=Stranger")

        let report = await authenticator.signOut()
        #expect(report.trustedKeys.map(\.pin) == [pin] && report.failures.isEmpty)
        #expect(try await get(client) == .ok)
        #expect(questions.withLock { $0.count } == 2)
    }

    @Test("Requests that wait for one key share one question") func shared() async throws {
        defer { server.stop() }
        let count = Mutex(0)
        let requests = 50
        let (client, _) = try world { [server] _ in
            count.withLock { $0 += 1 }
            // The person takes so long that each request has a connection.
            try await eventually("each request is at the server") { server.connections == requests }
            return .trust(until: .max)
        }
        try await withThrowingTaskGroup(of: HTTPResponseStatus.self) { group in
            for _ in 0..<requests { group.addTask { try await get(client) } }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A rejected key is not asked about again, a cancelled question is; no byte of a request goes out")
    func rejected() async throws {
        defer { server.stop() }
        let replies = Mutex([ServerTrustReply.cancel, .reject, .trust(until: .max)])
        let (client, authenticator) = try world { _ in replies.withLock { $0.removeFirst() } }
        for left in [2, 1, 1, 1] {
            await #expect(throws: TLSError.self) { try await get(client) }
            #expect(replies.withLock { $0.count } == left)
        }
        #expect(server.requests.isEmpty)
        await authenticator.signOut()
        #expect(try await get(client) == .ok)
    }

    @Test("A time that is over trusts nothing") func over() async throws {
        defer { server.stop() }
        let (client, _) = try world { _ in .trust(until: 1_000) }
        await #expect(throws: TLSError.self) { try await get(client) }
    }

    @Test("A server that the pins refuse brings no question") func pinned() async throws {
        defer { server.stop() }
        let other = try TestAuthority("Other")
        let (client, _) = try world(pins: [try TLSWorld.entry(other.own.pin, host: "localhost")]) { _ in
            Issue.record("asked")
            return .trust(until: .max)
        }
        await #expect(throws: TLSError.self) { try await get(client) }
        #expect(server.requests.isEmpty)
    }

    @Test("A cancelled request leaves the question") func cancelled() async throws {
        defer { server.stop() }
        let asked = AsyncStream.makeStream(of: Void.self)
        let (client, _) = try world { _ in
            asked.continuation.yield()
            try await Task.sleep(for: .seconds(3_600))
            return .trust(until: .max)
        }
        let request = Task { try await get(client) }
        for await _ in asked.stream { break }
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
    }
}
