import CredentialStores
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import Secrets
import Testing

/// A password that is changed at Squid while 64 clients use the relay.
@Suite(.inTurn, .serialized, .needs(.squid, .winbind)) struct ChangedPasswordTests {
    @Test(
        "Changed in mid-load it costs two bad log-ons at most, then none; with the new one in the store everything works again",
        arguments: GuardedServer.Kind.squid
    )
    func changed(kind: GuardedServer.Kind) async throws {
        let squid = try await GuardedServer.started(kind)
        let (address, origin) = (try squid.address(), try squid.openOrigin)
        let store = MemoryCredentialStore()
        func keep(_ password: String) async throws {
            let domain = kind.scheme == .ntlm ? ServerScript.domain : nil
            let name = CredentialName(space: .origin(address, party: .proxy), user: "jdoe", domain: domain)
            try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: password), created: 1))
        }
        try await keep(GuardedServer.password)
        var lockout = LockoutRules()
        lockout.isOneAtATime = true
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let handler = try TestRelay.noAccounts(sites: "\(address)", schemes: [kind.scheme], lockout: lockout)
        let authenticator = try Authenticator(CurrentHandler(handler), store: store, options: options)
        try await TestRelay.run(before: address, authenticator: authenticator, destinations: TestRelay.loopback()) {
            relay in
            let mixed = try await Self.answers(64, of: 4, relay, origin) { number in
                if number == 100 { try squid.change(to: "Another-Horse") }
            }
            #expect(Set(mixed.map(\.status)) == [200, 502], "the password changes in the middle")
            var bad = try squid.takeBadLogOns()
            #expect((1...2).contains(bad), "\(bad)")
            let refused = try await Self.answers(16, of: 1, relay, origin)
            #expect(refused.map(\.status) == [Int](repeating: 502, count: 16))
            bad = try squid.takeBadLogOns()
            #expect(bad == 0)
            try await keep("Another-Horse")
            let right = try await Self.answers(64, of: 1, relay, origin)
            let wrong = right.filter { $0.status != 200 }.map(\.body)
            #expect(right.count == 64 && wrong.isEmpty, "\(wrong)")
            bad = try squid.takeBadLogOns()
            #expect(bad == 0)
        }
    }

    /// Opens tunnels, each on a connection of its own that has to be authenticated: `count` clients, `times` after each other.
    private static func answers(
        _ count: Int,
        of times: Int,
        _ relay: TestRelay,
        _ origin: Origin,
        before: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> [RelayClient.Response] {
        let target = "\(origin.host):\(origin.port)"
        return try await withThrowingTaskGroup(of: [RelayClient.Response].self) { group in
            for client in 0..<count {
                group.addTask {
                    try (0..<times).map { time in
                        try before(time * count + client)
                        let tunnel = try relay.connect()
                        try tunnel.send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
                        return try tunnel.readResponse(toConnect: true)
                    }
                }
            }
            return try await group.reduce(into: [RelayClient.Response]()) { $0 += $1 }
        }
    }
}
