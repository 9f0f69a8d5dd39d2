import Crypto
import Foundation
import HTTPAuthentication
import Hostnames
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// `sallyport get` at Apache and nginx, and through Squid.
@Suite(.inTurn, .serialized, .needs(.apache, .modAuthGSSAPI, .gssNTLMSSP)) struct GetServersTests {
    /// What the scripts' pages hold.
    private static let page = "<p>in</p>\n"

    private static func user(_ kind: GuardedServer.Kind) -> String {
        kind.scheme == .ntlm ? #"ACME\jdoe"# : "jdoe"
    }

    @Test("The page arrives with the password of the store", .row(2, 63), arguments: GuardedServer.Kind.apache)
    func right(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let folder = try RequestFolder()
        let url = "\(try server.address())"
        try folder.keep(GuardedServer.password, of: Self.user(kind), for: url)
        let run = try await folder.live(["get", "--cleartext", "\(url)\(server.page(1))"] + folder.key)
        #expect(run.status == 0 && run.output == Self.page && run.error.isEmpty, "\(run.error)")
        #expect(try server.takeBadLogOns() == 0)
        #expect(!folder.written.contains(GuardedServer.password))
    }

    @Test("A wrong password costs one bad log-on and ends with 1", arguments: GuardedServer.Kind.apache)
    func wrong(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let folder = try RequestFolder()
        let url = "\(try server.address())"
        try folder.keep("Wrong-Horse", of: Self.user(kind), for: url)
        let run = try await folder.live(["get", "--cleartext", "\(url)\(server.page(1))"] + folder.key)
        #expect(run.status == 1)
        #expect(run.error.contains(": 401 Unauthorized: the password of "), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1)
        #expect(try server.takeBadLogOns() == 1)
        #expect(!folder.written.contains("Wrong-Horse"))
    }

    @Test("A profile answers, too", .row(1), arguments: GuardedServer.Kind.apache)
    func profile(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let folder = try RequestFolder()
        let url = "\(try server.address())"
        let domain = kind.scheme == .ntlm ? "ACME" : nil
        try folder.profile(GuardedServer.password, at: url, schemes: "\(kind.scheme)", domain: domain)
        let run = try await folder.live(["get", "\(url)\(server.page(1))", "--profile", folder.path("profile.yaml")])
        #expect(run.status == 0 && run.output == Self.page, "\(run.error)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("Basic over plain http needs a word, and no log-on is tried without it") func cleartext() async throws {
        let server = try await GuardedServer.started(.apacheBasic)
        let folder = try RequestFolder()
        let url = "\(try server.address())"
        try folder.keep(GuardedServer.password, of: "jdoe", for: url)
        let run = try await folder.live(["get", "\(url)\(server.page(1))"] + folder.key)
        #expect(run.status == 1 && run.error.contains("allow it with --cleartext"), "\(run.error)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test("netrc answers, and only for the user that is named") func netrc() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let folder = try RequestFolder()
        let url = "\(try server.address())\(server.page(1))"
        try folder.write(
            "machine localhost login ada password Wrong\nmachine localhost login jdoe password \(GuardedServer.password)\n",
            ".netrc"
        )
        let named = try await folder.live(["get", url, "--netrc", "--user", "jdoe"])
        #expect(named.status == 0 && named.output == Self.page, "\(named.error)")
        let other = try await folder.live(["get", url, "--netrc", "--user", "eve"])
        #expect(other.status == 1 && other.error.contains("there are none"), "\(other.error)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test(
        "A person at the terminal is asked, and again after a wrong password",
        .enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3")
    )
    func terminal() async throws {
        let server = try await GuardedServer.started(.apacheDigest)
        let folder = try RequestFolder()
        let arguments = ["get", "\(try server.address())\(server.page(1))", "--user", "jdoe"]
        let session = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try PythonTerminal.session(
                "types:Wrong-Horse||\(GuardedServer.password)",
                arguments,
                environment: folder.environment
            )
        }
        #expect(session.exit == 0 && session.output == Self.page && session.prompts == 3, "\(session.shown)")
        #expect(session.restored && !session.shown.contains("Horse"))
        #expect(try server.takeBadLogOns() == 1)
    }

    @Test("A redirect to a server that is not allowed gets no password", .row(5)) func redirect() async throws {
        let other = try await ScriptedServer { _ in
            .send("HTTP/1.1 401 no\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
        }
        defer { other.stop() }
        let server = try await GuardedServer.started(.apacheDigest)
        let folder = try RequestFolder()
        try folder.keep(GuardedServer.password, of: "jdoe", for: "\(try server.address())")
        try folder.keep(GuardedServer.password, of: "jdoe", for: "\(other.origin)")
        let url = "\(try server.address())\(server.page(leadingTo: other.origin))"
        let run = try await folder.live(["get", "--cleartext", url] + folder.key)
        #expect(run.status == 1 && run.error.contains("may not receive credentials"), "\(run.error)")
        #expect(other.requests.count == 1 && other.requests.allSatisfy { $0.field("Authorization") == nil })
    }

    @Test(
        "The proxy of the option and that of the environment get the password of the proxy",
        .row(3),
        .needs(.squid, .winbind, .samba, .namespaces),
        arguments: GuardedServer.Kind.squid
    )
    func squid(kind: GuardedServer.Kind) async throws {
        let server = try await GuardedServer.started(kind)
        let folder = try RequestFolder()
        let (proxy, url) = ("\(try server.address())", "\(try server.openOrigin)\(server.page(1))")
        try folder.keep(GuardedServer.password, of: Self.user(kind), for: proxy, isProxy: true)
        let option = try await folder.live(["get", "--cleartext", url, "--proxy", proxy] + folder.key)
        #expect(option.status == 0 && option.output == Self.page, "\(option.error)")
        let variable = try await folder.live(
            ["get", "--cleartext", url] + folder.key,
            environment: ["http_proxy": proxy]
        )
        #expect(variable.status == 0 && variable.output == Self.page, "\(variable.error)")
        #expect(try server.takeBadLogOns() == 0)
    }

    @Test(
        "A tunnel opens with the user and password of https_proxy, and nginx sees the client's certificate",
        .needs(.squid, .nginx)
    )
    func tunnelAndCertificate() async throws {
        let server = try await GuardedServer.started(.squidBasic)
        let folder = try RequestFolder()
        let nginx = try await folder.nginxWithLaptop()
        let url = "https://localhost:\(nginx.port)/"
        let proxy = "http://jdoe:\(GuardedServer.password)@localhost:\(try server.address().port)"
        let trust = ["--cacert", folder.path("root.pem")]
        let identity = ["--cert", folder.path("laptop.pem"), "--cert-key", folder.path("laptop.key")]
        let direct = try await folder.live(["get", url] + trust + identity)
        #expect(direct.output.hasPrefix("SUCCESS CN=laptop 7 TLSv1.3 "), "\(direct.error)")
        let run = try await folder.live(
            ["get", url, "--cleartext"] + trust + identity,
            environment: ["https_proxy": proxy]
        )
        #expect(run.status == 0 && run.output.hasPrefix("SUCCESS CN=laptop 7 TLSv1.3 "), "\(run.error)")
        let without = try await folder.live(["get", url] + trust)
        #expect(without.status == 1 && without.error.contains(": 400 "), "\(without.error)")
        // Kept in the store, and in a profile with its key.
        let kept = ["--store", folder.path("identities"), "--key-file", folder.path("identities.key")]
        let imported = try await folder.live(
            ["identity", "import", folder.path("laptop.pem"), "--key", folder.path("laptop.key"), "--name", "laptop"]
                + kept
        )
        #expect(imported.status == 0, "\(imported.error)")
        let stored = try await folder.live(["get", url, "--cert-identity", "laptop"] + kept + trust)
        #expect(stored.output.hasPrefix("SUCCESS CN=laptop 7 TLSv1.3 "), "\(stored.error)")
        let unknown = try await folder.live(["get", url, "--cert-identity", "desktop"] + kept + trust)
        #expect(
            unknown.status == 2 && unknown.error.contains("\"desktop\": the store has no identity of this name"),
            "\(unknown.error)"
        )
        try folder.write("open sesame\n", "phrase", mode: 0o600)
        try folder.write("", "locked.key", mode: 0o600)
        let locked = try SallyportRun(
            ["pkcs8", "-topk8", "-in", folder.path("laptop.key"), "-out", folder.path("locked.key")]
                + ["-passout", "file:\(folder.path("phrase"))"],
            environment: folder.environment,
            program: URL(filePath: "/usr/bin/openssl")
        )
        #expect(locked.status == 0, "\(locked.error)")
        try folder.write(try folder.text("laptop.pem") + "\n" + folder.text("laptop.key"), "both.pem")
        for key in [
            "{ file: laptop.pem, key: laptop.key }", "{ file: both.pem }",
            "{ file: laptop.pem, key: locked.key, passphrase: { file: phrase } }",
        ] {
            let profile = try folder.identityProfile("certificate: \(key)", for: nginx)
            let run = try await folder.live(["get", url, "--profile", profile] + trust)
            #expect(run.output.hasPrefix("SUCCESS CN=laptop 7 TLSv1.3 "), "\(run.error)")
        }
        let keyless = try folder.identityProfile("certificate: { file: laptop.pem }", for: nginx)
        let missing = try await folder.live(["get", url, "--profile", keyless] + trust)
        #expect(
            missing.status == 2 && missing.error.contains("name its file with 'key' below 'certificate'"),
            "\(missing.error)"
        )
        let untrusted = try await folder.live(["get", url] + identity)
        #expect(
            untrusted.status == 1 && untrusted.error.contains("add the root of this authority"),
            "\(untrusted.error)"
        )
        #expect(!folder.written.contains(GuardedServer.password))
    }

    @Test("A wrong password of https_proxy costs one bad log-on and ends with 1", .needs(.squid)) func wrongProxy()
        async throws
    {
        let server = try await GuardedServer.started(.squidBasic)
        let folder = try RequestFolder()
        let proxy = "http://jdoe:Wrong-Horse@localhost:\(try server.address().port)"
        let run = try await folder.live(
            ["get", "https://localhost:1/", "--cleartext"],
            environment: ["https_proxy": proxy]
        )
        #expect(run.status == 1 && run.error.contains("the proxy refused the tunnel with 407: "), "\(run.error)")
        #expect(try server.takeBadLogOns() == 1)
        #expect(!folder.written.contains("Wrong-Horse"))
    }

    // With TLS 1.3 the alert comes after the handshake, and the system may drop it with what the server has not read.
    @Test("A server whose TLS demands a certificate is named, with the option that presents one")
    func demandedCertificate() async throws {
        let folder = try RequestFolder()
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let leaf = try root.leaf("localhost")
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        try folder.write(clients.own.certificate.serializeAsPEM().pemString, "clients.pem")
        try folder.write(leaf.certificate.serializeAsPEM().pemString, "leaf.pem")
        try folder.write(leaf.key.pemRepresentation, "leaf.key")
        let port = try ServerPort.take()
        let server = try HelperProcess(
            [
                "openssl", "s_server", "-tls1_2", "-accept", "127.0.0.1:\(port)", "-Verify", "1",
                "-verify_return_error",
                "-www", "-CAfile", folder.path("clients.pem"), "-cert", folder.path("leaf.pem"), "-key",
                folder.path("leaf.key"),
            ]
        )
        defer { withExtendedLifetime(server) {} }
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            while try server.readLine().trimmingCharacters(in: .whitespacesAndNewlines) != "ACCEPT" {}
        }
        let run = try await folder.live(
            ["get", "https://localhost:\(port)/", "--direct", "--cacert", folder.path("root.pem")]
        )
        #expect(run.status == 1 && run.error.contains("the server requires a client certificate"), "\(run.error)")
        #expect(run.error.contains("present one with --cert FILE or --cert-identity NAME"), "\(run.error)")
    }
}
