import LiveServers
import Testing

/// Real servers count the bad log-ons that our rules about passwords allow.
@Suite(
    "Passwords at Apache: Basic, Digest, and NTLM with gss-ntlmssp",
    .inTurn,
    .serialized,
    .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP, .openssl)
)
struct ApacheLockoutTests {
    @Test("Right and wrong; a page for another user", arguments: GuardedServer.Kind.apache)
    func passwords(kind: GuardedServer.Kind) async throws { try await runPasswords(kind) }

    @Test("Changed while no request runs, and under load", arguments: GuardedServer.Kind.apache)
    func changed(kind: GuardedServer.Kind) async throws { try await runChanged(kind) }

    @Test("Ten hosts of one domain", arguments: GuardedServer.Kind.apache)
    func tenHosts(kind: GuardedServer.Kind) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let server = try GuardedServer(kind)
            for connections in LockoutScenario.connections {
                try await LockoutScenario.tenHosts(server, connections)
            }
        }
    }
}

@Suite("Passwords at lighttpd", .inTurn, .serialized, .needs(.lighttpd, .openssl))
struct LighttpdLockoutTests {
    @Test("Right and wrong; a page for another user", arguments: GuardedServer.Kind.lighttpd)
    func passwords(kind: GuardedServer.Kind) async throws { try await runPasswords(kind) }

    @Test("Changed while no request runs, and under load", arguments: GuardedServer.Kind.lighttpd)
    func changed(kind: GuardedServer.Kind) async throws { try await runChanged(kind) }
}

@Suite("Passwords at nginx", .inTurn, .serialized, .needs(.nginx, .openssl))
struct NginxLockoutTests {
    @Test("Right and wrong; a page for another user") func passwords() async throws {
        try await runPasswords(.nginxBasic)
    }

    @Test("Changed while no request runs, and under load") func changed() async throws {
        try await runChanged(.nginxBasic)
    }
}

@Suite(
    "Passwords at Squid, with deny rules on proxy_auth",
    .inTurn,
    .serialized,
    .needs(.squid, .openssl, .python, .curl, .winbind, .samba, .namespaces)
)
struct SquidLockoutTests {
    @Test("Right and wrong, also for CONNECT; a page for another user", arguments: GuardedServer.Kind.squid)
    func passwords(kind: GuardedServer.Kind) async throws { try await runPasswords(kind) }

    @Test("Changed while no request runs, and under load", arguments: GuardedServer.Kind.squid)
    func changed(kind: GuardedServer.Kind) async throws { try await runChanged(kind) }
}

/// Blocks in sockets, so it needs threads of its own.
private func runPasswords(_ kind: GuardedServer.Kind) async throws {
    try await withTaskExecutorPreference(ThreadPerJob.shared) {
        let server = try GuardedServer(kind)
        for connections in LockoutScenario.connections {
            try await LockoutScenario.rightAndWrong(server, connections)
            try await LockoutScenario.forbidden(server, connections)
            if server.isProxy { try await LockoutScenario.rightAndWrong(server, connections, tunnels: true) }
        }
    }
}

private func runChanged(_ kind: GuardedServer.Kind) async throws {
    try await withTaskExecutorPreference(ThreadPerJob.shared) {
        let server = try GuardedServer(kind)
        for connections in LockoutScenario.connections { try await LockoutScenario.changed(server, connections) }
        try await LockoutScenario.changedUnderLoad(server, connections: 64)
    }
}
