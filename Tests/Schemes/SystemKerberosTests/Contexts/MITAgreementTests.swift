import LiveServers
import TestSupport
import Testing

/// This package on one side, MIT's library through python3-gssapi on the other, each in its own process.
@Suite(.inTurn, .needs(.kerberos, .pythonGSSAPI), .serialized) struct MITAgreementTests {
    @Test("Both directions log on, and each side accepts the other's integrity code")
    func bothDirections() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let own = BuiltProgram.forTests
        let binding = ["--bindings", "tls-server-end-point:0123"]
        for more in [[], binding] {
            let there = try await Programs.conversation(
                client: [own, "initiate"] + more,
                server: Programs.peer("accept") + more,
                in: realm,
                cache: "jdoe.cache"
            )
            #expect(there.client == "done true" && there.server == "done jdoe@ACME.TEST", "\(there)")
            let back = try await Programs.conversation(
                client: Programs.peer("initiate") + more,
                server: [own, "accept"] + (more.isEmpty ? [] : ["--server-bindings", more[1]]),
                in: realm,
                cache: "jdoe.cache"
            )
            #expect(back.client == "done HTTP/localhost@ACME.TEST", "\(back)")
            #expect(back.server == "done jdoe@ACME.TEST \(more.isEmpty ? "unchecked" : "matched")", "\(back)")
        }
    }

    @Test("Both directions refuse another channel binding")
    func otherBinding() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let there = try await Programs.conversation(
            client: [BuiltProgram.forTests, "initiate", "--bindings", "one"],
            server: Programs.peer("accept", "--bindings", "two"),
            in: realm,
            cache: "jdoe.cache"
        )
        #expect(there.client.hasPrefix("error initiate refusedByPeer"), "\(there)")
        #expect(there.server.contains("Incorrect channel bindings"), "\(there)")
        let back = try await Programs.conversation(
            client: Programs.peer("initiate", "--bindings", "one"),
            server: [BuiltProgram.forTests, "accept", "--server-bindings", "two"],
            in: realm,
            cache: "jdoe.cache"
        )
        #expect(back.server.hasPrefix("error accept bindingsMismatch"), "\(back)")
    }

    @Test(
        "Clocks that differ by ten minutes are named by the server, and by the client that it refuses",
        .needs(.faketime)
    )
    func clocks() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        // The tickets are there before, because a client that asks a KDC learns the difference and corrects its time.
        _ = try await Programs.run(["logon"], in: realm, cache: "jdoe.cache")
        let later = ["faketime", "-f", "+10m"]
        let there = try await Programs.conversation(
            client: [BuiltProgram.forTests, "initiate"],
            server: later + Programs.peer("accept"),
            in: realm,
            cache: "jdoe.cache"
        )
        #expect(there.client.hasPrefix("error initiate clockSkew"), "\(there)")
        let back = try await Programs.conversation(
            client: later + Programs.peer("initiate"),
            server: [BuiltProgram.forTests, "accept"],
            in: realm,
            cache: "jdoe.cache"
        )
        #expect(back.server.hasPrefix("error accept clockSkew"), "\(back)")
    }
}
