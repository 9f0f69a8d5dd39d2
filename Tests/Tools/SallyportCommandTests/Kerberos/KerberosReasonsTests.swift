import Foundation
import LiveServers
import Testing

/// Tickets that cannot be had, are not taken, or are not proof enough: why, and what takes their place.
@Suite(.inTurn, .serialized, .needs(.kerberos, .apache, .modAuthGSSAPI, .openssl))
struct KerberosReasonsTests {
    @Test("Why there is no ticket is one line with a remedy, and explain tells it") func reasons() async throws {
        let world = try await KerberosWorld()
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
                KerberosWorld.cache,
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
            KerberosWorld.cache,
            cache: "none"
        )
        #expect(told.output.contains("unmet     there is no ticket: Kerberos: "), "\(told.output)")
    }

    @Test("Clocks that differ by ten minutes: the server refuses", .needs(.faketime)) func clocks() async throws {
        let world = try await KerberosWorld()
        let apache = try KerberosServers.Apache(in: world.realm)
        let http = "http://localhost:\(apache.http)"
        let good = try await world.run(
            ["get", "\(http)/request/a"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache
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
        let world = try await KerberosWorld()
        let server = try KerberosServers.Own(in: world.realm, "--no-proof")
        let http = "http://localhost:\(server.port)"
        let strict = try await world.run(["get", http], at: http, account: "user: jdoe@ACME.TEST", KerberosWorld.cache)
        #expect(strict.status == 1 && strict.error.contains("negotiate-mutual: optional"), "\(strict.error)")
        #expect(strict.error.contains("the server took the ticket of 'account'"), "\(strict.error)")
        for option in ["-I", "-v", "--json"] {
            let arguments = ["get", http, option]
            let hidden = try await world.run(arguments, at: http, account: "user: jdoe@ACME.TEST", KerberosWorld.cache)
            let shown = hidden.output + hidden.error
            #expect(hidden.status == 1 && shown.contains("negotiate-mutual: optional"), "\(shown)")
            #expect(!shown.contains("200 OK") && !shown.contains("Content-Length"), "\(shown)")
        }
        let relaxed = try await world.run(
            ["get", http],
            at: http,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache,
            "negotiate-mutual: optional"
        )
        #expect(relaxed.status == 0 && relaxed.output.contains("Kerberos"), "\(relaxed.error)")
        let head = try await world.run(
            ["get", http, "-I"],
            at: http,
            account: "user: jdoe@ACME.TEST",
            KerberosWorld.cache,
            "negotiate-mutual: optional"
        )
        #expect(head.output.hasPrefix("HTTP/1.1 200 OK") && head.output.contains("Content-Length"), "\(head.error)")
    }

    @Test("The channel binding of the certificate, and that of another") func bindings() async throws {
        let world = try await KerberosWorld()
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
                KerberosWorld.cache
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
        let world = try await KerberosWorld()
        try world.folder.write("Correct-Horse", "password")
        let both = try KerberosServers.Own(in: world.realm)
        let kerberos = try KerberosServers.Own(in: world.realm, "--kerberos-only")
        let account = ["user: jdoe", "domain: ACME", "password: { file: password }", KerberosWorld.cache]
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
        let world = try await KerberosWorld()
        let server = try KerberosServers.Own(in: world.realm)
        let http = "http://localhost:\(server.port)"
        let good = try await world.run(["get", http], at: http, account: "user: jdoe@ACME.TEST", KerberosWorld.cache)
        #expect(good.status == 0, "\(good.error)")
        // The loader looks here first, and an empty file ends its search. Nothing of the machine is changed.
        for name in ["libgssapi_krb5.so.2", "libgssapi.so.3"] { try world.folder.write("", name) }
        for verb in ["get", "explain"] {
            let run = try await world.run(
                [verb, http],
                at: http,
                account: "user: jdoe@ACME.TEST",
                KerberosWorld.cache,
                environment: ["LD_LIBRARY_PATH": world.folder.path("")]
            )
            #expect(run.status == 1 && (run.output + run.error).contains("libgssapi-krb5-2 on Debian"), "\(run)")
        }
    }

    @Test(
        "A KDC that is silent: the deadline holds, and NTLM answers",
        .enabled(if: ProcessInfo.processInfo.environment["SALLYPORT_KERBEROS"] != nil, "SALLYPORT_KERBEROS=1")
    )
    func silence() async throws {
        let world = try await KerberosWorld()
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
            KerberosWorld.cache
        )
        #expect(run.output == #"ACME\jdoe (negotiate, NTLM)"# + "\n", "\(run.error)")
        #expect(start.duration(to: .now) < .seconds(30))
    }
}
