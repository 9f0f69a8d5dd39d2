import LiveServers
import MatrixClients
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import Testing

/// A password that is changed on the server while a client uses the old one.
@Suite(.inTurn, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
struct ChangedPasswordTests {
    /// Longer than the time after a success in which many attempts may begin at once.
    private static let quietTime = Duration.milliseconds(300)

    @Test(
        "It costs two bad log-ons at most, then none; the new password works",
        arguments: MatrixClient.allCases,
        GuardedServer.Kind.matrix
    )
    func changed(client: MatrixClient, kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (settings, origin) = try server.route()
        let current = CurrentHandler(try server.handler())
        // A connection that NTLM has authenticated stays so. Therefore each round has new ones.
        func ask(_ numbers: Range<Int>) async throws -> [Int] {
            var statuses: [Int] = []
            try await client.run(current, settings) { running in
                for number in numbers {
                    let request = MatrixRequest(origin: origin, target: server.page(number))
                    statuses.append(try await running.send(request).status)
                }
            }
            return statuses
        }
        #expect(try await ask(0..<2) == [200, 200])
        try server.change(to: "Another-Horse")
        try await Task.sleep(for: Self.quietTime)
        #expect(try server.takeBadLogOns() == 0)
        let refused = server.isProxy ? 407 : 401
        #expect(try await ask(2..<6) == [Int](repeating: refused, count: 4))
        let bad = try server.takeBadLogOns()
        #expect((1...2).contains(bad), "\(bad)")
        #expect(try await ask(6..<9) == [Int](repeating: refused, count: 3))
        #expect(try server.takeBadLogOns() == 0)

        current.replace(with: try server.handler(password: "Another-Horse").compiled)
        #expect(try await ask(9..<12) == [200, 200, 200])
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test(
        "One at a time, it costs two at most also when 64 requests are under way",
        arguments: [.apacheBasic, .apacheNTLM, .lighttpdDigest, .squidNTLM] as [GuardedServer.Kind]
    )
    func changedUnderLoad(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let (settings, origin) = try server.route()
        var rules = LockoutRules()
        rules.isOneAtATime = true
        let current = CurrentHandler(try server.handler(lockout: rules))
        let client = AuthenticatedClient(current, settings: settings)
        defer { client.shutDown() }
        func status(_ number: Int) async throws -> Int {
            let url = "\(origin)\(server.page(number % GuardedServer.pageCount))"
            // A connection that NTLM has authenticated stays so: each request has a new one.
            client.closeIdleConnections()
            let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
            _ = try await response.body.collect(upTo: 1 << 20)
            return Int(response.status.code)
        }
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for start in 0..<64 {
                group.addTask {
                    var refused = 0
                    for step in 0..<4 {
                        // In the middle of the load.
                        if start == 0, step == 2 { try server.change(to: "Another-Horse") }
                        if try await status(start * 4 + step) != 200 { refused += 1 }
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(refused > 0 && refused < 256, "the password changes in the middle")
        #expect(try server.takeBadLogOns() <= 2)
        for number in 0..<3 { #expect(try await status(number) != 200) }
        #expect(try server.takeBadLogOns() == 0)
    }
}
