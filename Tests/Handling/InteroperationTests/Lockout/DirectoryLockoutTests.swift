import LiveServers
import Sallyport
import Testing

/// A domain controller that locks an account after three bad log-ons, behind Squid and `ntlm_auth`.
@Suite(
    "An account at a domain controller that locks accounts",
    .inTurn,
    .serialized,
    .needs(.directory, .squid, .openssl, .python, .curl, .winbind, .samba, .namespaces)
)
struct DirectoryLockoutTests {
    @Test("Wrong and changed passwords at 1 and at 64 connections never lock the account") func neverLocked()
        async throws
    {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let server = try GuardedServer(.squidDirectory)
            for connections in LockoutScenario.connections {
                try await wrong(server, connections)
                try await changed(server, connections)
            }
            try await LockoutScenario.forbidden(server, 64)
            try expectState(server, badLogOns: 0...0)
            // The controller does lock: one bad log-on each from handlers that do not know of each other.
            for _ in 0..<3 { _ = try await LiveClient(server.handler(password: "Wrong-Horse")).send(server.request(0)) }
            #expect(try server.directoryState().isLocked)
        }
    }

    private func expectState(_ server: GuardedServer, badLogOns: ClosedRange<Int>) throws {
        let state = try server.directoryState()
        #expect(badLogOns.contains(state.badLogOns) && !state.isLocked, "\(state)")
    }

    /// One bad log-on, and a log-on with the right password clears it.
    private func wrong(_ server: GuardedServer, _ connections: Int) async throws {
        let client = LiveClient(try server.handler(password: "Wrong-Horse"))
        for _ in 0..<2 {
            let replies = try await LockoutScenario.round(client, server, connections)
            #expect(replies.filter { !$0.isWithheld } == [])
            try expectState(server, badLogOns: 1...1)
        }
        try client.handler.updateUserCredentials(
            account: "account",
            password: SharedSecret(utf8: GuardedServer.password)
        )
        #expect(try await LockoutScenario.round(client, server, connections).filter { !$0.isIn } == [])
        try expectState(server, badLogOns: 0...0)
    }

    /// Two bad log-ons at most, for a password that was accepted before an administrator changed it.
    private func changed(_ server: GuardedServer, _ connections: Int) async throws {
        // By the usual rules an attempt that has no response in 2 s is taken for a slow page, so a busy machine would send more than two.
        var rules = LockoutRules()
        rules.isOneAtATime = connections > 1
        let client = LiveClient(try server.handler(lockout: rules))
        #expect(try await LockoutScenario.round(client, server, connections).filter { !$0.isIn } == [])
        client.closeConnections()
        try server.change(to: "New-Horse")
        try await Task.sleep(for: LockoutScenario.quietTime)
        for _ in 0..<3 {
            let replies = try await LockoutScenario.round(client, server, connections)
            #expect(replies.filter { !$0.isWithheld } == [])
            try expectState(server, badLogOns: 1...2)
        }
        try client.handler.updateUserCredentials(account: "account", password: SharedSecret(utf8: "New-Horse"))
        #expect(try await LockoutScenario.round(client, server, connections).filter { !$0.isIn } == [])
        try expectState(server, badLogOns: 0...0)
        try server.change(to: GuardedServer.password)
    }
}
