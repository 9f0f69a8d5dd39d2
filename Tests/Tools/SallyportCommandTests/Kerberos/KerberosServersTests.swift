import Foundation
import LiveServers
import Testing

/// `sallyport get` and `explain` with tickets, in a realm of MIT's KDC: the whole exchange, in a process of its own.
@Suite(.inTurn, .serialized, .needs(.kerberos, .apache, .modAuthGSSAPI, .squid, .openssl))
struct KerberosServersTests {
    /// What the scripts' pages hold.
    private static let page = "<p>in</p>\n"
    /// Where the account takes its tickets from the cache.
    private static let cache = "kerberos: true"

    /// A realm, and a folder for the command.
    private struct World {
        let realm: KerberosRealm
        let folder: RequestFolder

        init() async throws {
            realm = try await KerberosRealm.started()
            folder = try RequestFolder()
            try realm.ticket(into: "jdoe.cache")
        }

        /// Runs the command with a profile whose account has these lines.
        func run(
            _ arguments: [String],
            at sites: String...,
            account lines: String...,
            cache: String = "jdoe.cache",
            environment more: [String: String] = [:]
        ) async throws -> SallyportRun {
            let list = sites.map { "\"\($0)\"" }.joined(separator: ", ")
            try folder.write(
                """
                version: 1
                sites: [\(list)]
                schemes: [negotiate]
                accounts:
                  - name: account
                    sites: [\(list)]
                    \(lines.joined(separator: "\n    "))

                """,
                "profile.yaml"
            )
            return try await folder.live(
                arguments + ["--profile", folder.path("profile.yaml")],
                environment: realm.environment(cache: cache).merging(more) { $1 }
            )
        }
    }

    @Test("Apache takes the ticket for each request and for a connection, and its proof is checked") func apache()
        async throws
    {
        let world = try await World()
        let apache = try KerberosServers.Apache(in: world.realm)
        let (http, https) = ("http://localhost:\(apache.http)", "https://localhost:\(apache.https)")
        for path in ["/request/a", "/connection/a"] {
            let run = try await world.run(["get", http + path], at: http, account: "user: jdoe@ACME.TEST", Self.cache)
            #expect(run.status == 0 && run.output == Self.page && run.error.isEmpty, "\(path): \(run.error)")
        }
        let certificate = try apache.certificate()
        let secure = try await world.run(
            ["get", "\(https)/request/a", "--cacert", certificate],
            at: https,
            account: "user: jdoe@ACME.TEST",
            Self.cache
        )
        #expect(secure.status == 0 && secure.output == Self.page, "\(secure.error)")

        // A keytab and a password of the account get their tickets from the KDC; the cache has none.
        let keytab = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            "kerberos: { keytab: \(world.realm.path("jdoe.keytab")) }",
            cache: "none"
        )
        #expect(keytab.status == 0 && keytab.output == Self.page, "\(keytab.error)")
        try world.folder.write("Correct-Horse", "password")
        let password = ["user: jdoe@ACME.TEST", "password: { file: password }", "kerberos: password"]
        let right = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: password.joined(separator: "\n    "),
            cache: "none"
        )
        #expect(right.status == 0 && right.output == Self.page, "\(right.error)")
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
        let world = try await World()
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
        #expect(direct.status == 0 && direct.output == Self.page && direct.error.isEmpty, "\(direct.error)")
        let proxy = "http://localhost:\(squid.proxy)"
        for url in ["http://127.0.0.1:\(squid.origin)/", "https://localhost:\(apache.https)/request/a"] {
            let through = try await run("get", url, "--proxy", proxy)
            #expect(through.status == 0 && through.output == Self.page, "\(through.error)")
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
        let world = try await World()
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
                Self.cache
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
            Self.cache,
            optional
        )
        #expect(plain.status == 0 && plain.output == Self.page, "\(plain.error)")
        let tunnel = try await world.run(
            [
                "get", "https://localhost:\(apache.https)/open/a", "--proxy", proxy, "--cacert",
                try apache.certificate(),
            ],
            at: proxy,
            account: "user: jdoe@ACME.TEST",
            Self.cache,
            optional
        )
        #expect(tunnel.status == 0 && tunnel.output == Self.page, "\(tunnel.error)")
        let users = try squid.users(atLeast: 4)
        #expect(users.count == 4 && users.allSatisfy { $0 == "jdoe@ACME.TEST" }, "\(users)")
        let none = try await world.run(
            ["get", "http://127.0.0.1:\(squid.origin)/", "--proxy", proxy],
            at: proxy,
            account: "user: jdoe@ACME.TEST",
            Self.cache,
            cache: "none"
        )
        #expect(none.status == 1 && none.error.contains("kinit"), "\(none.error)")
    }

    @Test("Why there is no ticket is one line with a remedy, and explain tells it") func reasons() async throws {
        let world = try await World()
        try world.realm.ticket(into: "old.cache", life: "1s")
        let apache = try KerberosServers.Apache(in: world.realm)
        let (http, address) = ("http://localhost:\(apache.http)", "http://127.0.0.1:\(apache.http)")
        // The host belongs to a realm whose KDC is not there, and to one that does not exist.
        let configuration = try String(contentsOfFile: world.realm.path("krb5.conf"), encoding: .utf8)
        for realm in ["DEAD.TEST", "UNKNOWN.TEST"] {
            try world.folder.write(
                configuration.replacing("localhost = ACME.TEST", with: "localhost = \(realm)"),
                "\(realm).conf"
            )
        }
        try await Task.sleep(for: .seconds(1.1))
        func error(_ url: String, cache: String = "jdoe.cache", conf: String? = nil) async throws -> String {
            let run = try await world.run(
                ["get", "\(url)/request/a"],
                at: url,
                account: "user: jdoe@ACME.TEST",
                Self.cache,
                cache: cache,
                environment: conf.map { ["KRB5_CONFIG": world.folder.path("\($0).conf")] } ?? [:]
            )
            #expect(run.status == 1 && run.error.split(separator: "\n").count == 1, "\(run.error)")
            return run.error
        }
        #expect(try await error(http, cache: "none").contains("no ticket"))
        #expect(try await error(http, cache: "old.cache").contains("expired"))
        #expect(try await error(address).contains("HTTP/127.0.0.1"))
        for realm in ["DEAD.TEST", "UNKNOWN.TEST"] {
            #expect(try await error(http, conf: realm).contains("HTTP/localhost@\(realm)"))
        }
        let told = try await world.run(
            ["explain", "\(http)/request/a"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            Self.cache,
            cache: "none"
        )
        #expect(told.output.contains("unmet     there is no ticket: Kerberos: "), "\(told.output)")
    }

    @Test("Clocks that differ by ten minutes: the server refuses", .needs(.faketime)) func clocks() async throws {
        let world = try await World()
        let apache = try KerberosServers.Apache(in: world.realm)
        let http = "http://localhost:\(apache.http)"
        let good = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            Self.cache
        )
        #expect(good.status == 0, "\(good.error)")
        // The ticket of the service is in the cache now, so that no KDC corrects the client's time.
        let command = [
            "-f", "+10m", SallyportRun.executable.path, "get", "\(http)/request/a", "--profile",
            world.folder.path("profile.yaml"),
        ]
        let environment = world.folder.environment.merging(world.realm.environment(cache: "jdoe.cache")) { $1 }
        let skewed = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(command, environment: environment, program: URL(filePath: "/usr/bin/faketime"))
        }
        #expect(skewed.status == 1 && skewed.error.contains("401"), "\(skewed.error)")
    }

    @Test("An impostor that sends no proof is refused, unless the profile says so") func proof() async throws {
        let world = try await World()
        let server = try KerberosServers.Own(in: world.realm, "--no-proof")
        let http = "http://localhost:\(server.port)"
        let strict = try await world.run(["get", http], at: http, account: "user: jdoe@ACME.TEST", Self.cache)
        #expect(strict.status == 1 && strict.error.contains("negotiate-mutual: optional"), "\(strict.error)")
        #expect(strict.error.contains("the server took the ticket of 'account'"), "\(strict.error)")
        for option in ["-I", "-v", "--json"] {
            let arguments = ["get", http, option]
            let hidden = try await world.run(arguments, at: http, account: "user: jdoe@ACME.TEST", Self.cache)
            let shown = hidden.output + hidden.error
            #expect(hidden.status == 1 && shown.contains("negotiate-mutual: optional"), "\(shown)")
            #expect(!shown.contains("200 OK") && !shown.contains("Content-Length"), "\(shown)")
        }
        let relaxed = try await world.run(
            ["get", http],
            at: http,
            account: "user: jdoe@ACME.TEST",
            Self.cache,
            "negotiate-mutual: optional"
        )
        #expect(relaxed.status == 0 && relaxed.output.contains("Kerberos"), "\(relaxed.error)")
        let head = try await world.run(
            ["get", http, "-I"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            Self.cache,
            "negotiate-mutual: optional"
        )
        #expect(head.output.hasPrefix("HTTP/1.1 200 OK") && head.output.contains("Content-Length"), "\(head.error)")
    }

    @Test("The channel binding of the certificate, and that of another") func bindings() async throws {
        let world = try await World()
        let (key, certificate) = (world.folder.path("key.pem"), world.folder.path("certificate.pem"))
        let script = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha256 -nodes -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost -keyout \(key) -out \(certificate) 2>/dev/null
            openssl x509 -in \(certificate) -outform DER | openssl dgst -sha256 -r | cut -d' ' -f1
            """
        let digest = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(["-c", script], program: URL(filePath: "/bin/sh")).output
        }.filter { $0 != "\n" }
        try #require(digest.count == 64)
        let prefix = Data("tls-server-end-point:".utf8).map { String(format: "%02x", $0) }.joined()
        for isRight in [true, false] {
            let binding = prefix + (isRight ? digest : String(digest.reversed()))
            let server = try KerberosServers.Own(in: world.realm, "--tls", certificate, key, "--binding", binding)
            let https = "https://localhost:\(server.port)"
            let run = try await world.run(
                ["get", https, "--cacert", certificate],
                at: https,
                account: "user: jdoe@ACME.TEST",
                Self.cache
            )
            let report = try server.report()
            if isRight {
                #expect(run.output == #"ACME.TEST\jdoe (negotiate, Kerberos) bound"# + "\n", "\(run.error) \(report)")
            } else {
                #expect(run.status == 1 && report.first?.contains("channel binding") == true, "\(report)")
            }
        }
    }

    @Test("Without a ticket, NTLM answers in its place; with none that it takes, the request ends") func fallback()
        async throws
    {
        let world = try await World()
        try world.folder.write("Correct-Horse", "password")
        let both = try KerberosServers.Own(in: world.realm)
        let kerberos = try KerberosServers.Own(in: world.realm, "--kerberos-only")
        let account = ["user: jdoe", "domain: ACME", "password: { file: password }", Self.cache]
        func run(_ server: KerberosServers.Own, _ cache: String, _ more: String...) async throws -> SallyportRun {
            let http = "http://localhost:\(server.port)"
            return try await world.run(
                ["get", http],
                at: http,
                account: (account + more).joined(separator: "\n    "),
                cache: cache
            )
        }
        #expect(try await run(both, "none").output == #"ACME\jdoe (negotiate, NTLM)"# + "\n")
        #expect(try await run(both, "jdoe.cache").output == #"ACME.TEST\jdoe (negotiate, Kerberos)"# + "\n")
        #expect(try await run(kerberos, "none").status == 1)
        // Unless the profile forbids it.
        let never = "negotiate-ntlm: false"
        let strict = try await run(both, "none", never)
        #expect(strict.status == 1 && strict.error.contains("kinit"), "\(strict.error)")
        #expect(try await run(both, "jdoe.cache", never).output == #"ACME.TEST\jdoe (negotiate, Kerberos)"# + "\n")
    }

    @Test("Where the library is missing, the error and explain say what to install")
    func missingLibrary() async throws {
        let world = try await World()
        let server = try KerberosServers.Own(in: world.realm)
        let http = "http://localhost:\(server.port)"
        let good = try await world.run(["get", http], at: http, account: "user: jdoe@ACME.TEST", Self.cache)
        #expect(good.status == 0, "\(good.error)")
        // The loader looks here first, and an empty file ends its search. Nothing of the machine is changed.
        for name in ["libgssapi_krb5.so.2", "libgssapi.so.3"] { try world.folder.write("", name) }
        for verb in ["get", "explain"] {
            let run = try await world.run(
                [verb, http],
                at: http,
                account: "user: jdoe@ACME.TEST",
                Self.cache,
                environment: ["LD_LIBRARY_PATH": world.folder.path("")]
            )
            #expect(run.status == 1 && (run.output + run.error).contains("libgssapi-krb5-2 on Debian"), "\(run)")
        }
    }

    @Test("Tickets are handed over only where the profile and the KDC say so") func delegation() async throws {
        let world = try await World()
        let apache = try KerberosServers.Apache(in: world.realm)
        let http = "http://localhost:\(apache.http)"
        func delegated(_ lines: String..., cache: String) async throws -> Int {
            let before = try apache.delegated()
            let run = try await world.run(
                ["get", "\(http)/delegated/a"],
                at: http,
                account: (["user: jdoe@ACME.TEST", Self.cache] + lines).joined(separator: "\n    "),
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

    @Test(
        "A KDC that is silent: the deadline holds, and NTLM answers",
        .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_KERBEROS"] != nil, "SALLYPORT_KERBEROS=1")
    )
    func silence() async throws {
        let world = try await World()
        try world.folder.write("Correct-Horse", "password")
        let server = try KerberosServers.Own(in: world.realm)
        try world.realm.stop()
        defer { try? world.realm.go() }
        let http = "http://localhost:\(server.port)"
        let start = ContinuousClock.now
        let run = try await world.run(
            ["get", http],
            at: http,
            account: "user: jdoe",
            "domain: ACME",
            "password: { file: password }",
            Self.cache
        )
        #expect(run.output == #"ACME\jdoe (negotiate, NTLM)"# + "\n", "\(run.error)")
        #expect(start.duration(to: .now) < .seconds(30))
    }
}
