import Crypto
import Foundation
import LiveServers
import SwiftASN1
import TestSupport
import Testing
import X509

/// `identities` of a profile: nginx sees the certificate wherever it lies.
@Suite(.inTurn, .needs(.nginx, .openssl)) struct ProfileIdentityTests {
    private static let page = "SUCCESS CN=laptop 7"

    /// The options for a profile whose identity is what `place` says.
    private func profile(_ place: String, for nginx: NginxWithClients, in folder: RequestFolder) throws -> [String] {
        ["--profile", try folder.identityProfile(place, for: nginx), "--cacert", folder.path("root.pem")]
    }

    private func openssl(_ arguments: [String]) throws {
        let run = try SallyportRun(arguments, program: URL(filePath: "/usr/bin/openssl"))
        guard run.status == 0 else { throw PeerFailure(what: run.error) }
    }

    @Test("A PKCS#12 file, a record of the store, and a program that prints PEM", .row(4, 31)) func places()
        async throws
    {
        let folder = try RequestFolder()
        let nginx = try await folder.nginxWithLaptop()
        let url = "https://localhost:\(nginx.port)/"
        try folder.write("open sesame\n", "phrase")
        try folder.write("", "laptop.p12")
        try openssl(
            ["pkcs12", "-export", "-in", folder.path("laptop.pem"), "-inkey", folder.path("laptop.key")]
                + ["-out", folder.path("laptop.p12"), "-passout", "file:\(folder.path("phrase"))"]
        )
        let store = ["--store", folder.path("identities"), "--key-file", folder.path("identities.key")]
        let imported = try await folder.live(
            ["identity", "import", folder.path("laptop.p12"), "--passphrase-file", folder.path("phrase")]
                + ["--name", "kept"] + store
        )
        #expect(imported.status == 0, "\(imported.error)")
        try folder.write("#!/bin/sh\ncat '\(folder.path("laptop.pem"))'; echo; cat \"$1\"\n", "enrol", mode: 0o700)
        for (place, more) in [
            ("p12: { file: laptop.p12, passphrase: { file: phrase } }", ["--no-store"]),
            ("store: kept", store),
            ("command: ['\(folder.path("enrol"))', '\(folder.path("laptop.key"))']", ["--no-store"]),
        ] {
            let options = try profile(place, for: nginx, in: folder) + more + ["--no-prompt"]
            let run = try await folder.live(["get", url] + options)
            #expect(run.status == 0 && run.output.hasPrefix(Self.page), "\(place): \(run.error)")
        }
        // What is wrong is one line with the profile's line, the identity, and its place.
        let declared = "sallyport get: \(folder.path("profile.yaml")):5: identity \"laptop\": "
        try folder.write("#!/bin/sh\necho secret-output; exit 3\n", "fails", mode: 0o700)
        try folder.write("", "locked.key")
        try openssl(
            ["pkcs8", "-topk8", "-in", folder.path("laptop.key"), "-out", folder.path("locked.key")]
                + ["-passout", "file:\(folder.path("phrase"))"]
        )
        try folder.write(folder.text("laptop.pem") + "\n" + folder.text("locked.key"), "locked.pem")
        for (place, more, problem) in [
            (
                "p12: laptop.p12", ["--no-store"],
                "laptop.p12: the file is encrypted: name the place of its passphrase with 'passphrase' in the profile"
            ),
            ("p12: missing.p12", ["--no-store"], "missing.p12: the file does not exist"),
            ("store: other", store, "\"other\": the store has no identity of this name"),
            ("command: ['\(folder.path("fails"))']", ["--no-store"], "fails: the program ended with status 3"),
            ("command: ['/nowhere/enrol']", ["--no-store"], "/nowhere/enrol: the program did not run (No such file"),
            (
                "command: ['/bin/echo', 'hello']", ["--no-store"],
                "/bin/echo: the program printed no block of PEM: let it print certificates and key in PEM"
            ),
            (
                "command: ['/bin/cat', '\(folder.path("locked.pem"))']", ["--no-store"],
                "/bin/cat: the program prints an encrypted key: let it print the key without a passphrase"
            ),
            ("store: kept", [], "/credentials: the store does not exist"),
            (
                "certificate: { file: laptop.pem, key: missing.key }", ["--no-store"],
                "missing.key: the file does not exist"
            ),
            ("pkcs11: 'pkcs11:object'", ["--no-store"], "byte 7 of the URI begins no attribute"),
            ("p12: /dev/null", ["--no-store"], "/dev/null: cannot read it (not a regular file): check path and mode"),
            (
                "pkcs11: 'pkcs11:token=no?module-path=/nowhere/module.so'", ["--no-store"],
                "/nowhere/module.so"
            ),
        ] {
            let options = try profile(place, for: nginx, in: folder) + more + ["--no-prompt"]
            let run = try await folder.live(["get", url] + options)
            #expect(
                run.status == 2 && run.error.hasPrefix(declared) && run.error.contains(problem),
                "\(place): \(run.error)"
            )
            #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
        }
        let locked = folder.path("laptop.p12")
        let option = try await folder.live(["get", url, "--no-store", "--no-prompt", "--cert", locked])
        #expect(
            option.status == 2
                && option.error
                    == "sallyport get: --cert: \(locked): the file is encrypted: name the file of its passphrase with --cert-passphrase-file\n",
            "\(option.error)"
        )
        #expect(!folder.written.contains("secret-output") && !folder.written.contains("open sesame"))
    }

    @Test("A card whose PIN the profile names", .needs(.softHSM)) func card() async throws {
        let cards = try SoftCards()
        defer { cards.remove() }
        try cards.provision(.p256)
        let (folder, root) = (try RequestFolder(), try TestAuthority("Root"))
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        try folder.write("\(SoftCards.pin)\n", "pin")
        let issuer = try String(contentsOfFile: cards.path("issuer.crt"), encoding: .utf8)
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: Certificate(pemEncoded: issuer))
        let uri = "pkcs11:token=work;id=%01?module-path=\(SoftCards.module)"
        for (place, status, expected) in [
            ("pkcs11: { uri: \"\(uri)\", pin: { file: pin } }", 0, Self.page),
            (
                "pkcs11: \"\(uri)\"", 2,
                "sallyport get: \(folder.path("profile.yaml")):5: identity \"laptop\": the card needs a PIN: name its place with "
                    + "'pin', or with pin-source= in the URI\n"
            ),
        ] as [(String, Int32, String)] {
            let options = try profile(place, for: nginx, in: folder) + ["--no-store", "--no-prompt"]
            let run = try await folder.live(
                ["get", "https://localhost:\(nginx.port)/"] + options,
                environment: cards.environment
            )
            #expect(run.status == status && (run.output + run.error).hasPrefix(expected), "\(run.error)")
        }
        #expect(!folder.written.contains(SoftCards.pin))
    }

    @Test("A signal ends the program that should print a certificate, too", arguments: ["get", "explain"])
    func signal(verb: String) async throws {
        let folder = try RequestFolder()
        unsafe #expect(mkfifo(folder.path("began"), 0o600) == 0)
        try folder.write(
            """
            version: 1
            sites: ["localhost:1"]
            schemes: []
            identities:
              - name: laptop
                command: [sh, -c, "echo $$ > began; exec sleep 1000"]
                sites: ["localhost:1"]
            """,
            "profile.yaml"
        )
        // Foundation starts children with signals blocked. A process descriptor can be read when its process has ended.
        let script = """
            import os, select, signal, subprocess, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.chdir(sys.argv[1])
            child = subprocess.Popen(sys.argv[2:])
            program = os.pidfd_open(int(open("began").read()))
            child.terminate()
            try: print(child.wait(1200))
            finally: child.kill()
            # 0 if the program goes on.
            print(len(select.select([program], [], [], 1200)[0]))
            """
        let run = try await withTaskExecutorPreference(ThreadPerJob.shared) {
            try SallyportRun(
                ["-c", script, folder.path(""), SallyportRun.executable.path, verb, "https://localhost:1/"]
                    + ["--profile", "profile.yaml", "--no-store", "--no-prompt"],
                environment: folder.environment,
                program: URL(filePath: "/usr/bin/python3")
            )
        }
        #expect(run.output == "-15\n1\n", "\(run.output) \(run.error)")
    }

    @Test("A certificate that ends within a week brings a warning, and is presented") func warning() async throws {
        let folder = try RequestFolder()
        let nginx = try await folder.nginxWithLaptop()
        // That of the test's authority is valid for a day.
        let files = ["--cert", folder.path("laptop.pem"), "--cert-key", folder.path("laptop.key")]
        let run = try await folder.live(
            ["get", "https://localhost:\(nginx.port)/", "--no-store", "--cacert", folder.path("root.pem")] + files
        )
        #expect(run.status == 0 && run.output.hasPrefix(Self.page), "\(run.error)")
        #expect(run.error.hasPrefix("sallyport get: identity '--cert': expires on "), "\(run.error)")
    }

    @Test("A profile whose identities or sites are for another port is named as such") func otherPort() async throws {
        let folder = try RequestFolder()
        let nginx = try await folder.nginxWithLaptop()
        let origin = "https://localhost:\(nginx.port)"
        // Without a port a rule is for 443.
        for (sites, identity, problem) in [
            (
                "localhost:\(nginx.port)", "localhost",
                "none of the profile's identities is for \(origin): add it to 'sites' of one, or present one with --cert FILE or "
                    + "--cert-identity NAME"
            ),
            (
                "localhost", "localhost:\(nginx.port)",
                "\(origin) may not receive credentials (denied: rule 1 of \(folder.path("profile.yaml")) is for another port): let the "
                    + "list 'sites' of the profile allow it"
            ),
        ] {
            try folder.write(
                """
                version: 1
                sites: ["\(sites)"]
                schemes: [basic]
                identities:
                  - name: laptop
                    certificate: { file: laptop.pem, key: laptop.key }
                    sites: ["\(identity)"]
                """,
                "profile.yaml"
            )
            let options = ["--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem"), "--no-store"]
            let run = try await folder.live(["get", "\(origin)/", "--no-prompt"] + options)
            #expect(
                run.status == 1 && run.error.hasSuffix(", and none was sent: \(problem)\n"),
                "\(run.error)"
            )
        }
    }

    @Test("The profile of the page about client certificates, as it stands") func pageProfile() async throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../..").standardized
            .appending(path: "Sources/Handling/Sallyport/Sallyport.docc/UsingClientCertificates.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```yaml\n").dropFirst()
        let text = try #require(blocks.first).components(separatedBy: "```")[0]
        let folder = try RequestFolder()
        let nginx = try await folder.nginxWithLaptop()
        try folder.write("open sesame\n", "passphrase")
        try folder.write("", "laptop.p12")
        try openssl(
            ["pkcs12", "-export", "-in", folder.path("laptop.pem"), "-inkey", folder.path("laptop.key")]
                + ["-out", folder.path("laptop.p12"), "-passout", "file:\(folder.path("passphrase"))"]
        )
        let server = "localhost:\(nginx.port)"
        try folder.write(text.replacing("wiki.corp.example", with: server), "profile.yaml")
        for verb in ["get", "explain"] {
            let options = ["--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem")]
            let run = try await folder.live([verb, "https://\(server)/"] + options + ["--no-store", "--no-prompt"])
            #expect(run.status == 0, "\(run.output)\(run.error)")
            let presented = "'laptop' (CN=laptop 7) presented to https://\(server)"
            #expect(verb == "get" ? run.output.hasPrefix(Self.page) : run.output.contains(presented), "\(run.output)")
        }
    }

    @Test("--cert is presented where an identity of the profile fits, too")
    func option() async throws {
        let folder = try RequestFolder()
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: clients.own.certificate)
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        for name in ["laptop", "other"] {
            let leaf = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "\(name) 7"))
            let text = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation + "\n"
            try folder.write(text, "\(name).pem")
        }
        func run(_ verb: String, _ site: String) async throws -> SallyportRun {
            try folder.write(
                """
                version: 1
                sites: ["localhost:*"]
                schemes: [basic]
                identities:
                  - name: laptop
                    certificate: { file: laptop.pem }
                    sites: ["\(site)"]
                """,
                "profile.yaml"
            )
            let options = ["--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem"), "--no-store"]
            return try await folder.live(
                [verb, "https://localhost:\(nginx.port)/", "--cert", folder.path("other.pem"), "--no-prompt"] + options
            )
        }
        // The same rule in two spellings, and rules that are as specific.
        let port = nginx.port
        for site in ["localhost:\(port)", "localhost:*", "*://localhost:\(port)"] {
            let page = try await run("get", site)
            #expect(page.status == 0 && page.output.hasPrefix("SUCCESS CN=other 7"), "\(site): \(page.error)")
        }
        let told = try await run("explain", "localhost:\(port)")
        #expect(told.status == 0, "\(told.output)\(told.error)")
    }

    @Test("A relay takes a renewed file without a restart, and says in its metrics when it ends", .row(18, 19))
    func renewal()
        async throws
    {
        let folder = try RequestFolder()
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let nginx = try await NginxWithClients(root.leaf("localhost"), clients: clients.own.certificate)
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        func write(_ name: String, _ file: String = "laptop.pem") throws {
            let leaf = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: name))
            let text = try leaf.certificate.serializeAsPEM().pemString + "\n" + leaf.key.pemRepresentation + "\n"
            try folder.write(text, "new.pem")
            guard unsafe rename(folder.path("new.pem"), folder.path(file)) == 0 else {
                throw PeerFailure(what: "rename: \(errno)")
            }
        }
        try write("laptop 7")
        let options = try profile("certificate: { file: laptop.pem }", for: nginx, in: folder)
        let relay = try RunningRelay(
            ["--map", "127.0.0.1:0=https://localhost:\(nginx.port)", "--no-store", "--metrics", "127.0.0.1:0"]
                + options,
            environment: folder.environment,
            lines: 2,
            listens: false
        )
        func page(_ url: String) throws -> String {
            try SallyportRun(["curl", "-sS", url], program: URL(filePath: "/usr/bin/env")).output
        }
        #expect(try page("http://127.0.0.1:\(relay.port)/").hasPrefix(Self.page))
        try relay.waitForLog("identity 'laptop': expires on ")
        let metrics = try page(String(relay.announcement[1].split(separator: " ")[2]))
        let end = try #require(
            metrics.split(separator: "\n").first { $0.hasPrefix("sallyport_relay_client_certificate_end_seconds{") }
        )
        let seconds = try #require(end.split(separator: " ").last.flatMap { Double($0) })
        #expect(abs(seconds - Date().timeIntervalSince1970 - 86_400) < 7_200, "\(end)")
        try write("laptop 8")
        // At the next look.
        try relay.waitForLog("identity 'laptop': renewed, valid until ")
        #expect(try page("http://127.0.0.1:\(relay.port)/").hasPrefix("SUCCESS CN=laptop 8"))
        // SIGHUP takes another place of the profile; one that needs a store, which was not opened, changes nothing.
        try write("laptop 9", "other.pem")
        try folder.identityProfile("p12: other.pem", for: nginx)
        relay.send(SIGHUP)
        try relay.waitForLog("SIGHUP: the profile is read again")
        #expect(try page("http://127.0.0.1:\(relay.port)/").hasPrefix("SUCCESS CN=laptop 9"))
        try folder.identityProfile("store: kept", for: nginx)
        relay.send(SIGHUP)
        try relay.waitForLog(
            "SIGHUP: the old profile stays in use: \(folder.path("profile.yaml")):5: identity \"laptop\": the store is opened at the "
                + "start only"
        )
        #expect(try page("http://127.0.0.1:\(relay.port)/").hasPrefix("SUCCESS CN=laptop 9"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }
}
