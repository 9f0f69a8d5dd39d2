import LiveServers
import TestSupport
import Testing

/// Log-ons with this package on both sides, in a realm of MIT's KDC.
@Suite(.inTurn, .needs(.kerberos), .serialized) struct LogOnTests {
    private static let good = ["client jdoe@ACME.TEST unchecked true", "server true false HTTP/localhost@ACME.TEST"]

    @Test("The snippets of the page log on") func page() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        #expect(try await Programs.run(["page"], in: realm, cache: "jdoe.cache") == ["complete"])
    }

    @Test("Each source of a credential logs on, and another user's default cache is not touched")
    func sources() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let keytab = ["--keytab", realm.path("http.keytab")]
        #expect(try await Programs.run(["logon"] + keytab, in: realm, cache: "jdoe.cache") == Self.good)
        #expect(try await Programs.run(["logon"], in: realm, cache: "jdoe.cache") == Self.good)
        for source in [
            ["--cache", "FILE:\(realm.path("jdoe.cache"))"],
            ["--cache", "FILE:\(realm.path("jdoe.cache"))", "--principal", "jdoe@ACME.TEST"],
            ["--client-keytab", realm.path("jdoe.keytab"), "--principal", "jdoe"],
            ["--password", "Correct-Horse", "--principal", "jdoe"],
            ["--password", "Correct-Horse", "--principal", "jdoe@ACME.TEST"],
        ] {
            #expect(try await Programs.run(["logon"] + keytab + source, in: realm) == Self.good, "\(source)")
        }
        // None of the above made the default cache.
        #expect(try await Programs.reason(["logon"], in: realm) == "acquireCredential noTicket")
        let lifetime = try await Programs.run(["logon", "--credential-only"], in: realm, cache: "jdoe.cache")
        let words = try #require(lifetime.first).split(separator: " ")
        #expect(words.prefix(2) == ["credential", "jdoe@ACME.TEST"])
        #expect((35_000...36_000).contains(Int(words[2]) ?? 0))
    }

    @Test("What the user or the administrator must mend is named")
    func reasons() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        try realm.ticket(into: "old.cache", life: "1s")
        try realm.principal("old", "-pw Correct-Horse -pwexpire yesterday")
        try realm.principal("gone", "-pw Correct-Horse -expire yesterday")
        func reason(_ arguments: String..., cache: String = "jdoe.cache") async throws -> String {
            try await Programs.reason(["logon"] + arguments, in: realm, cache: cache)
        }
        let password = ["--password", "Correct-Horse", "--principal"]
        for (principal, expected) in [
            ("old", "passwordExpired"), ("gone", "accountDisabled"), ("nobody", "unknownAccount"),
            ("jdoe@DEAD.TEST", "kdcUnreachable"), ("jdoe@UNKNOWN.TEST", "unknownRealm"), ("a\u{7}", "badName"),
        ] {
            let line = try await Programs.reason(["logon"] + password + [principal], in: realm)
            #expect(line.hasSuffix(" \(expected)"), "\(principal): \(line)")
        }
        #expect(try await reason("--password", "wrong", "--principal", "jdoe") == "acquireCredential wrongPassword")
        #expect(try await reason("--password", "", "--principal", "jdoe") == "acquireCredential wrongPassword")
        #expect(try await reason("--cache", "FILE:\(realm.path("none"))") == "acquireCredential noTicket")
        #expect(try await reason("--cache", "FILE:\(realm.path("krb5.conf"))") == "acquireCredential cache")
        let others = ["--cache", "FILE:\(realm.path("jdoe.cache"))", "--principal", "ada"]
        #expect(try await Programs.reason(["logon"] + others, in: realm) == "acquireCredential noTicket")
        let keytab = ["--client-keytab", realm.path("jdoe.keytab"), "--principal", "ada"]
        #expect(try await Programs.reason(["logon"] + keytab, in: realm) == "acquireCredential keytab")
        #expect(try await reason("--host", "unknown.test") == "initiate unknownService")
        #expect(try await reason("--realm", "UNKNOWN.TEST") == "initiate unknownService")
        #expect(try await reason("--host", "a/b") == "importName badName")
        #expect(try await reason("--keytab", realm.path("none.keytab")) == "accept keytab")
        #expect(try await reason("--keytab", realm.path("other.keytab")) == "accept wrongKey")
        #expect(try await reason("--host", "other.test") == "accept wrongKey")
        try await Task.sleep(for: .seconds(1.1))
        #expect(try await reason(cache: "old.cache") == "acquireCredential ticketExpired")
    }

    @Test("A channel binding that differs is refused, and a missing one where it is demanded")
    func bindings() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        func outcome(_ client: String?, _ server: String?, _ more: [String] = []) async throws -> String {
            let arguments =
                ["logon"] + more + (client.map { ["--bindings", $0] } ?? [])
                + (server.map { ["--server-bindings", $0] } ?? [])
            let lines = try await Programs.run(arguments, in: realm, cache: "jdoe.cache")
            return lines.first { $0.hasPrefix("client") || $0.hasPrefix("error accept") }?.split(separator: " ")
                .prefix(3).last.map(String.init) ?? ""
        }
        let (own, other) = ("tls-server-end-point:0123", "tls-server-end-point:0124")
        #expect(try await outcome(own, own) == "matched")
        #expect(try await outcome(own, own, ["--demand-bindings"]) == "matched")
        #expect(try await outcome(own, other) == "bindingsMismatch")
        #expect(try await outcome(nil, own) == "absent")
        #expect(try await outcome(nil, own, ["--demand-bindings"]) == "bindingsMissing")
        #expect(try await outcome(own, nil) == "unchecked")
        #expect(try await outcome(own, nil, ["--demand-bindings"]) == "bindingsMissing")
        #expect(try await outcome("", own) == "")
    }

    @Test("A message that is used again, changed, or from a false server is refused")
    func attacks() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        func reason(_ option: String) async throws -> String {
            try await Programs.reason(["logon", option], in: realm, cache: "jdoe.cache")
        }
        #expect(try await reason("--replay") == "accept replayed")
        #expect(try await reason("--spoil") == "accept wrongKey")
        #expect(try await reason("--spoil-answer") == "initiate notMutual")
        #expect(try await reason("--spoil-code") == "verify badIntegrity")
        #expect(
            try await Programs.run(["logon", "--one-sided"], in: realm, cache: "jdoe.cache")
                == ["client jdoe@ACME.TEST unchecked false", "server false false HTTP/localhost@ACME.TEST"]
        )
    }

    @Test("The user's ticket goes only to a server that the KDC marks, and only where the client delegates")
    func delegation() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "before.cache")
        let refused = try await Programs.run(["logon", "--delegate"], in: realm, cache: "before.cache")
        #expect(refused.last == "server true false HTTP/localhost@ACME.TEST")
        try realm.principal("HTTP/localhost", "+ok_as_delegate")
        try realm.ticket(into: "after.cache")
        let delegated = try await Programs.run(["logon", "--delegate"], in: realm, cache: "after.cache")
        #expect(delegated.last == "server true true HTTP/localhost@ACME.TEST")
        let kept = try await Programs.run(["logon"], in: realm, cache: "after.cache")
        #expect(kept.last == "server true false HTTP/localhost@ACME.TEST")
    }

    @Test("A thousand log-ons leave the memory as it is")
    func memory() async throws {
        let realm = try await KerberosRealm.started()
        try realm.ticket(into: "jdoe.cache")
        let lines = try await Programs.run(["logon", "--count", "1000"], in: realm, cache: "jdoe.cache")
        #expect(lines.prefix(2) == Self.good[...])
        let words = try #require(lines.last).split(separator: " ")
        // A context that stays costs more than 1 KB: 900 of them would be close to a megabyte.
        let grown = try #require(words.last.flatMap { Int($0) })
        #expect(words.first == "grown" && grown < 1 << 19, "\(grown) bytes")
    }
}

extension Programs {
    /// The operation and the reason of the failure in which `TestProgram` ends.
    static func reason(
        _ arguments: [String],
        in realm: KerberosRealm,
        cache: String = "none"
    ) async throws -> String {
        let lines = try await run(arguments, in: realm, cache: cache)
        guard let line = lines.last, line.hasPrefix("error ") else { return "no error: \(lines)" }
        return line.split(separator: " ").prefix(3).dropFirst().joined(separator: " ")
    }
}
