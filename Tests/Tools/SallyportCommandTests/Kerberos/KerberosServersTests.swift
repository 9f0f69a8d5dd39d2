import LiveServers
import Testing

/// `sallyport get` and `explain` with tickets, in a realm of MIT's KDC: the whole exchange with Apache and Squid, in a process of its own.
@Suite(.inTurn, .serialized, .needs(.kerberos, .apache, .modAuthGSSAPI, .squid, .openssl))
struct KerberosServersTests {
    @Test("Apache takes the ticket for each request and for a connection, and its proof is checked") func apache()
        async throws
    {
        let world = try await KerberosWorld()
        let apache = try KerberosServers.Apache(in: world.realm)
        let (http, https) = ("http://localhost:\(apache.http)", "https://localhost:\(apache.https)")
        for path in ["/request/a", "/connection/a"] {
            let run = try await world.run(
                ["get", http + path],
                at: http,
                account: "user: jdoe@ACME.TEST",
                KerberosWorld.cache
            )
            #expect(run.status == 0 && run.output == KerberosWorld.page && run.error.isEmpty, "\(path): \(run.error)")
        }
        let certificate = try apache.certificate()
        let secure = try await world.run(
            ["get", "\(https)/request/a", "--cacert", certificate],
            at: https,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache
        )
        #expect(secure.status == 0 && secure.output == KerberosWorld.page, "\(secure.error)")

        // A keytab and a password of the account get their tickets from the KDC; the cache has none.
        let keytab = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            "kerberos: { keytab: \(world.realm.path("jdoe.keytab")) }",
            cache: "none"
        )
        #expect(keytab.status == 0 && keytab.output == KerberosWorld.page, "\(keytab.error)")
        try world.folder.write("Correct-Horse", "password")
        let password = ["user: jdoe@ACME.TEST", "password: { file: password }", "kerberos: password"]
        let right = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: password.joined(separator: "\n    "),
            cache: "none"
        )
        #expect(right.status == 0 && right.output == KerberosWorld.page, "\(right.error)")
        // A wrong one reaches the KDC once, is told as such, and NTLM does not send it again.
        try world.folder.write("Wrong-Horse", "password")
        let wrong = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: password.joined(separator: "\n    "),
            cache: "none"
        )
        #expect(wrong.status == 1 && wrong.error.contains("the password of "), "\(wrong.error)")
        #expect(try world.realm.refusals(of: "jdoe") == 1)
        let refused = try await world.run(
            ["explain", "\(http)/request/a"],
            at: http,
            account: password.joined(separator: "\n    "),
            cache: "none"
        )
        #expect(refused.output.contains("lockout") && refused.output.contains("unmet"), "\(refused.output)")
        #expect(!world.folder.written.contains("Wrong-Horse"))
    }

    @Test("--kerberos answers without a profile: at Apache, which must prove itself, and at Squid, which cannot")
    func withoutProfile() async throws {
        let world = try await KerberosWorld()
        let squid = try KerberosServers.Squid(in: world.realm)
        let apache = try KerberosServers.Apache(in: world.realm)
        func run(_ arguments: String..., cache: String = "jdoe.cache") async throws -> SallyportRun {
            try await world.folder.live(
                arguments + ["--kerberos", "--cacert", try apache.certificate()],
                environment: world.realm.environment(cache: cache)
            )
        }
        let page = "http://localhost:\(apache.http)/request/a"
        let direct = try await run("get", page)
        #expect(direct.status == 0 && direct.output == KerberosWorld.page && direct.error.isEmpty, "\(direct.error)")
        let proxy = "http://localhost:\(squid.proxy)"
        for url in ["http://127.0.0.1:\(squid.origin)/", "https://localhost:\(apache.https)/request/a"] {
            let through = try await run("get", url, "--proxy", proxy)
            #expect(through.status == 0 && through.output == KerberosWorld.page, "\(through.error)")
        }
        #expect(try squid.users(atLeast: 2).allSatisfy { $0 == "jdoe@ACME.TEST" })
        let told = try await run("explain", page)
        #expect(told.status == 0 && told.output.contains("with a ticket of Kerberos"), "\(told.output)")
        // No password is asked for in its place.
        let without = try await run("get", page, cache: "none")
        #expect(without.status == 1 && without.error.contains("kinit"), "\(without.error)")
        let plain = try await world.folder.live(["get", page, "--no-prompt"])
        #expect(plain.status == 1 && plain.error.contains("--kerberos for a ticket"), "\(plain.error)")
    }

    @Test("Squid takes the ticket for a request and for a tunnel") func squid() async throws {
        let world = try await KerberosWorld()
        let squid = try KerberosServers.Squid(in: world.realm)
        let apache = try KerberosServers.Apache(in: world.realm)
        let proxy = "http://localhost:\(squid.proxy)"
        // Squid 5 sends no proof in its responses.
        let optional = "negotiate-mutual: optional"
        for url in ["http://127.0.0.1:\(squid.origin)/", "https://localhost:\(apache.https)/open/a"] {
            let strict = try await world.run(
                ["get", url, "--proxy", proxy, "--cacert", try apache.certificate()],
                at: proxy,
                account: "user: jdoe@ACME.TEST",
                KerberosWorld.cache
            )
            // Who, for which account, why, and what to do.
            #expect(strict.status == 1 && strict.output.isEmpty && strict.error.contains(optional), "\(strict.error)")
            #expect(
                strict.error.contains("the proxy took the ticket of 'account' and sent no proof"),
                "\(strict.error)"
            )
        }
        let plain = try await world.run(
            ["get", "http://127.0.0.1:\(squid.origin)/", "--proxy", proxy],
            at: proxy,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache,
            optional
        )
        #expect(plain.status == 0 && plain.output == KerberosWorld.page, "\(plain.error)")
        let tunnel = try await world.run(
            [
                "get", "https://localhost:\(apache.https)/open/a", "--proxy", proxy, "--cacert",
                try apache.certificate(),
            ],
            at: proxy,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache,
            optional
        )
        #expect(tunnel.status == 0 && tunnel.output == KerberosWorld.page, "\(tunnel.error)")
        let users = try squid.users(atLeast: 4)
        #expect(users.count == 4 && users.allSatisfy { $0 == "jdoe@ACME.TEST" }, "\(users)")
        let none = try await world.run(
            ["get", "http://127.0.0.1:\(squid.origin)/", "--proxy", proxy],
            at: proxy,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache,
            cache: "none"
        )
        #expect(none.status == 1 && none.error.contains("kinit"), "\(none.error)")
    }

    @Test("Tickets are handed over only where the profile and the KDC say so") func delegation() async throws {
        let world = try await KerberosWorld()
        let apache = try KerberosServers.Apache(in: world.realm)
        let http = "http://localhost:\(apache.http)"
        func delegated(_ lines: String..., cache: String) async throws -> Int {
            let before = try apache.delegated()
            let run = try await world.run(
                ["get", "\(http)/delegated/a"],
                at: http,
                account: (["user: jdoe@ACME.TEST", KerberosWorld.cache] + lines).joined(separator: "\n    "),
                cache: cache
            )
            #expect(run.status == 0, "\(run.error)")
            return try apache.delegated() - before
        }
        #expect(try await delegated("delegate: true", cache: "jdoe.cache") == 0)
        try world.realm.principal("HTTP/localhost", "+ok_as_delegate")
        try world.realm.ticket(into: "marked.cache")
        #expect(try await delegated(cache: "marked.cache") == 0)
        let handedOver = try await delegated("delegate: true", cache: "marked.cache")
        #expect(handedOver == 1)
    }
}
