import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

/// Real servers and proxies, asked by ``AuthenticatedClient``.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct LiveClientTests {
    /// A client, the origin of its requests, and the handler.
    private func client(_ server: GuardedServer, password: String = GuardedServer.password) throws -> (
        client: AuthenticatedClient, origin: Origin
    ) {
        let handler = try server.handler(password: password)
        var settings = ClientSettings.patient
        let address = try server.address()
        if server.isProxy { settings.proxy = { _ in address } }
        let client = AuthenticatedClient(CurrentHandler(handler), settings: settings)
        return (client, server.isProxy ? try server.openOrigin : address)
    }

    @Test("A right password gets the page, with bodies and without, ten times", arguments: GuardedServer.Kind.matrix)
    func right(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (client, origin) = try client(server)
        defer { client.shutDown() }
        for number in 0..<10 {
            let request = ClientRequest(origin: origin, target: server.page(number))
            let response = try await client.execute(request, deadline: .now() + .hours(1))
            // An authenticated connection is not asked again.
            let isKnown = number > 0 && kind.scheme == .ntlm && response.outcome == .notChallenged
            #expect(response.status == .ok)
            #expect(response.outcome == (isKnown ? .notChallenged : .accepted))
            #expect(try await response.body.collect(upTo: 1 << 20).readableBytes > 0)
        }
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("A wrong password is sent once, also by 32 requests at a time", arguments: GuardedServer.Kind.matrix)
    func wrong(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (client, origin) = try client(server, password: "Wrong")
        defer { client.shutDown() }
        let outcomes = try await withThrowingTaskGroup(of: RequestOutcome.self) { group in
            for number in 0..<32 {
                group.addTask { [page = server.page(number)] in
                    let response = try await client.execute(
                        ClientRequest(origin: origin, target: page),
                        deadline: .now() + .hours(1)
                    )
                    _ = try await response.body.collect(upTo: 1 << 20)
                    return response.outcome
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 32)
        for outcome in outcomes {
            guard case .withheld = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        #expect(try server.takeBadLogOns() == 1)
    }

    @Test(
        "A password that is changed in a quiet time costs two bad log-ons, and none after that",
        arguments: GuardedServer.Kind.matrix
    )
    func changed(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (client, origin) = try client(server)
        defer { client.shutDown() }
        func ask(_ number: Int) async throws -> HTTPResponseStatus {
            let request = ClientRequest(origin: origin, target: server.page(number))
            let response = try await client.execute(request, deadline: .now() + .hours(1))
            _ = try await response.body.collect(upTo: 1 << 20)
            return response.status
        }
        #expect(try await ask(0) == .ok)
        try server.change(to: "Another-Horse")
        // A connection that NTLM has authenticated stays so: let it go.
        client.closeIdleConnections()
        try await Task.sleep(for: .milliseconds(200))
        for number in 1..<6 { #expect(try await ask(number) != .ok) }
        let bad = try server.takeBadLogOns()
        #expect((1...2).contains(bad), "\(bad)")
        for number in 6..<9 { #expect(try await ask(number) != .ok) }
        #expect(try server.takeBadLogOns() == 0)
    }
}
