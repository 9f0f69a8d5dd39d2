import LiveServers
import Sallyport
import SallyportNIO
import Testing

/// A password that is changed on the server while a client uses the old one.
@Suite(.ownThreads, .serialized, .needs(.apache, .gssNTLMSSP, .lighttpd, .nginx, .squid, .pyspnego))
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
}
