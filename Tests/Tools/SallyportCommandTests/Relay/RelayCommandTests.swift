import Foundation
import Hostnames
import LiveServers
import Synchronization
import TestSupport
import Testing

/// `sallyport relay`, as a process.
@Suite(.inTurn) struct RelayCommandTests {
    /// "jdoe:first" and "jdoe:second".
    private static let (first, second) = ("amRvZTpmaXJzdA==", "amRvZTpzZWNvbmQ=")

    @Test("A stored account is enough; the lines to paste name the address; SIGTERM ends it with status 0")
    func stored() async throws {
        let parent = try await ScriptedServer { BasicParent.reply(to: $0, right: Self.first) }
        defer { parent.stop() }
        let folder = try StoreFolder()
        let added = try folder.run(["add", "\(parent.origin)", "--proxy", "--user", "jdoe", "--stdin"], input: "first")
        #expect(added.status == 0)
        let arguments = ["--parent", "127.0.0.1:\(parent.origin.port)", "--basic", "--key-file", folder.path("key")]
        let relay = try RunningRelay(arguments, environment: folder.environment)
        let url = "http://127.0.0.1:\(relay.port)"
        #expect(
            relay.announcement == [
                "listening on 127.0.0.1:\(relay.port), parent \(parent.origin)",
                "export http_proxy=\(url) https_proxy=\(url)",
                "export no_proxy=localhost,127.0.0.1,::1",
            ]
        )
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        #expect(try !relay.log.contains("first"))
    }

    @Test("--map needs no parent, says where it stands for what, and answers from the store")
    func mapped() async throws {
        let server = try await ScriptedServer { request in
            guard request.field("Authorization") == "Basic \(Self.first)" else {
                return .send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            return .send(BasicParent.ok)
        }
        defer { server.stop() }
        let folder = try StoreFolder()
        let added = try folder.run(["add", "\(server.origin)", "--user", "jdoe", "--stdin"], input: "first")
        #expect(added.status == 0, "\(added.error)")
        let arguments = ["--map", "127.0.0.1:0=\(server.origin)", "--basic", "--key-file", folder.path("key")]
        let relay = try RunningRelay(arguments, environment: folder.environment, lines: 1, listens: false)
        #expect(relay.announcement == ["http://127.0.0.1:\(relay.port) stands for \(server.origin)"])
        let stream = try ByteStream(port: relay.port)
        try stream.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        let head = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        #expect(head.contains(" 200 "), "\(head)")
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    @Test("With --json the addresses are one object")
    func json() async throws {
        let parent = try await ScriptedServer { _ in .send(BasicParent.ok) }
        defer { parent.stop() }
        let arguments = ["--parent", "\(parent.origin)", "--no-store", "--json", "--listen", "[::1]:0"]
        let relay = try RunningRelay(arguments, lines: 1)
        let text = try #require(relay.announcement.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["parents"] as? [String] == ["\(parent.origin)"])
        let listen = try #require(object["listen"] as? [String])
        #expect(listen.count == 2 && listen[0] == "127.0.0.1:\(relay.port)" && listen[1].hasPrefix("[::1]:"))
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        relay.send(SIGINT)
        #expect(relay.end() == 0)
    }

    @Test("--metrics and --watch tell of requests, and --verbose of refused ones")
    func operation() async throws {
        let parent = try await ScriptedServer { _ in .send(BasicParent.ok) }
        defer { parent.stop() }
        let relay = try RunningRelay(
            ["--parent", "\(parent.origin)", "--no-store", "--metrics", "127.0.0.1:0", "--watch", "--verbose"],
            lines: 4
        )
        for _ in 0..<2 { #expect(try relay.get("http://a.example/") == (200, "ok")) }
        #expect(try relay.get("http://127.0.0.1/secret").status == 403)
        let words = relay.announcement[3].split(separator: ":")
        #expect(relay.announcement[3].hasPrefix("metrics at http://127.0.0.1:"))
        let port = try #require(UInt16(words.last?.prefix { $0.isNumber } ?? ""))
        let stream = try ByteStream(port: port)
        try stream.send(Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        _ = try stream.read(upTo: Array("sallyport_relay_requests_total 3\n".utf8))
        try relay.waitForLog("3 requests, ")
        #expect(try relay.get("http://127.0.0.1/secret").status == 403)
        try relay.waitForLog("debug refused reason=")
        #expect(try !relay.log.contains("/secret"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    @Test("A program of https sees the reason in the status line; the log has one line for each new reason")
    func reasons() async throws {
        let parent = try await ScriptedServer { BasicParent.reply(to: $0, right: Self.first) }
        defer { parent.stop() }
        let relay = try RunningRelay(["--parent", "\(parent.origin)", "--no-store"])
        for _ in 0..<2 {
            let run = try SallyportRun(
                ["curl", "-sv", "-x", "http://127.0.0.1:\(relay.port)", "https://a.example/"],
                program: URL(filePath: "/usr/bin/env")
            )
            #expect(
                run.error.contains("< HTTP/1.1 502 sallyport relay: parent: it offers Basic alone, "),
                "\(run.error)"
            )
        }
        #expect(try relay.get("http://127.0.0.1:1/").status == 403)
        try relay.waitForLog("warning refused reason=http://127.0.0.1:1: the relay does not serve loopback")
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        let lines = try relay.log.split(separator: "\n").filter { $0.contains(" refused reason=") }
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.contains("it offers Basic alone") == true && lines.first?.contains("--basic") == true)
    }

    @Test("What needs no proxy, and what is allowed, are lists in the form of NO_PROXY; a bad one is named")
    func lists() async throws {
        let (parent, server) = (
            try await ScriptedServer { _ in .send(BasicParent.ok) },
            try await ScriptedServer { _ in .send(BasicParent.ok) }
        )
        defer { for each in [parent, server] { each.stop() } }
        let relay = try RunningRelay([
            "--parent", "\(parent.origin)", "--no-store", "--no-proxy", "127.0.0.0/8", "--allow-destination",
            "127.0.0.1",
        ])
        #expect(try relay.get("\(server.origin)/") == (200, "ok"))
        #expect(server.requests.count == 1 && parent.requests.isEmpty)
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        for option in ["--no-proxy", "--allow-destination"] {
            let run = try SallyportRun(["relay", "--no-store", "--parent", "a.example:1", option, "*"])
            #expect(run.status == 2 && run.error.hasPrefix("sallyport relay: \(option): "), "\(run.error)")
        }
        for (list, remedy) in [
            ("127.0.0.*", "write 127.0.0.0/24"), ("localhost,10.*", "write 10.0.0.0/8"), ("<local>", "write the names"),
            ("*corp.example", "write *.host"), ("http://a.example", "write the rule that is meant"),
            ("a.example b.example", "write the rule that is meant"),
        ] {
            let run = try SallyportRun(["relay", "--no-store", "--parent", "a.example:1", "--no-proxy", list])
            #expect(run.status == 2 && run.error.contains(remedy), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1 && !run.error.contains("left out"), "\(run.error)")
        }
        let missing = try SallyportRun(["relay", "--no-store", "--parent", "a.example:1", "--direct-sites", "/nowhere"])
        #expect(missing.status == 2 && missing.error.contains("/nowhere"), "\(missing.error)")
    }

    @Test("Clients log on with a file, and each gets its own account of one profile; SIGHUP reads both again")
    func clients() async throws {
        let parent = try await ScriptedServer { request in
            let who =
                switch request.field("Proxy-Authorization") {
                case "Basic YWxpY2U6YQ==": "alice"
                case "Basic Ym9iOmI=": "bob"
                default: ""
                }
            guard !who.isEmpty else { return BasicParent.reply(to: request, right: "") }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(who.utf8.count)\r\n\r\n\(who)")
        }
        defer { parent.stop() }
        let folder = try StoreFolder()
        func account(_ name: String) -> String {
            """
              - name: \(name)
                user: \(name)
                password: { file: \(name) }
                sites: ["\(parent.origin)"]
                cleartext: true
            """
        }
        try folder.write("a", "alice")
        try folder.write("b", "bob")
        let beginning = "version: 1\nsites: [\"\(parent.origin)\"]\nschemes: [basic]\naccounts:\n"
        try folder.write(beginning + account("alice") + "\n" + account("bob"), "profile.yaml")
        let mine = "# accounts\nme:{PLAIN}pass:word\nyou:{PLAIN}secret\n"
        try folder.write(mine, "clients")
        let relay = try RunningRelay(
            [
                "--parent", "\(parent.origin)", "--profile", folder.path("profile.yaml"), "--no-store", "--verbose",
                "--client-accounts", folder.path("clients"), "--identity", "alice=client:me", "--identity",
                "bob=client:YOU",
            ],
            environment: folder.environment
        )
        func curl(_ client: String) throws -> String {
            let run = try SallyportRun(
                [
                    "curl", "-sS", "-w", "%{http_code}", "-o", "-", "--proxy-digest", "-U", client, "-x",
                    "http://127.0.0.1:\(relay.port)", "http://a.example/",
                ],
                program: URL(filePath: "/usr/bin/env")
            )
            return run.output
        }
        let first = [try curl("me:pass:word"), try curl("you:secret"), try curl("me:wrong")]
        #expect(first[0] == "alice200" && first[1] == "bob200" && first[2].hasSuffix("407"), "\(first)")
        // As Windows PowerShell writes it.
        try folder.write("\u{FEFF}me:{PLAIN}another\r\n", "clients")
        relay.send(SIGHUP)
        try relay.waitForLog("the profile is read again")
        let second = [try curl("me:another"), try curl("you:secret")]
        #expect(second[0] == "alice200" && second[1].hasSuffix("407"), "\(second)")
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        #expect(try !relay.log.contains("pass:word") && !relay.log.contains("another"))
        #expect(try relay.log.contains("a client was not let in"))
    }

    @Test(
        "A file of accounts that cannot be used is one line",
        arguments: [
            ("me:{PLAIN}x", 0o644, ": other users may use the file (mode 644): run chmod 600"),
            ("", 0o600, ": it has no account"),
            ("a:{PLAIN}x\nme", 0o600, ":2: this is no account"), ("me:{NT}12", 0o600, ":1: unknown form"),
            ("me:{PLAIN}x\nme:{PLAIN}y", 0o600, ":2: the account is there twice"),
        ]
    )
    func clientAccounts(text: String, mode: Int, expected: String) throws {
        let folder = try StoreFolder()
        _ = try folder.write(text, "clients", mode: mode)
        let run = try SallyportRun(
            ["relay", "--no-store", "--parent", "a.example:1", "--client-accounts", folder.path("clients")]
        )
        #expect(run.status == 2 && run.error.contains("--client-accounts: "), "\(run.error)")
        #expect(run.error.contains(expected), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test("SIGHUP reads the profile again; one that cannot be read leaves the old one; no connection is dropped")
    func reload() async throws {
        let right = Mutex(Self.first)
        let parent = try await ScriptedServer { request in
            if request.head.hasPrefix("ping") { return .send("pong") }
            let reply = BasicParent.reply(to: request, right: right.withLock { $0 })
            guard case .send(BasicParent.ok) = reply, request.head.hasPrefix("CONNECT") else { return reply }
            return .send("HTTP/1.1 200 Yes\r\n\r\n")
        }
        defer { parent.stop() }
        let folder = try StoreFolder()
        func write(_ password: String, _ scheme: String = "basic") throws {
            try folder.write(password, "password")
            let profile = """
                version: 1
                sites: ["\(parent.origin)"]
                schemes: [\(scheme)]
                accounts:
                  - name: jdoe
                    user: jdoe
                    password: { file: password }
                    sites: ["\(parent.origin)"]
                    cleartext: true
                """
            try folder.write(profile, "profile.yaml")
        }
        try write("first")
        let arguments = ["--parent", "\(parent.origin)", "--profile", folder.path("profile.yaml")]
        let relay = try RunningRelay(arguments, environment: folder.environment)
        let tunnel = try ByteStream(port: relay.port)
        try tunnel.send(Array("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let head = String(decoding: try tunnel.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        #expect(head.contains(" 200 "))
        try write("second", "none-such")
        relay.send(SIGHUP)
        try relay.waitForLog("the old profile stays in use: ")
        #expect(try relay.get("http://a.example/").status == 200)
        try write("second")
        right.withLock { $0 = Self.second }
        relay.send(SIGHUP)
        try relay.waitForLog("the profile is read again")
        #expect(try relay.get("http://a.example/").status == 200)
        try tunnel.send(Array("ping\r\n\r\n".utf8))
        #expect(try tunnel.read(count: 4) == Array("pong".utf8))
        relay.send(SIGTERM)
        try tunnel.send(Array("ping\r\n\r\n".utf8))
        #expect(try tunnel.read(count: 4) == Array("pong".utf8))
        tunnel.finish()
        #expect(relay.end() == 0)
    }

    @Test(
        "What describes no relay is one line that says what to do",
        arguments: [
            (["--parent", "proxy.example"], "the port is absent"),
            (["--parent", "proxy.example:1/path"], "--parent: "),
            (["--parent", "proxy.example:1", "--listen", "localhost:1"], "not an IP address"),
            (["--parent", "proxy.example:1", "--listen", "0.0.0.0:0"], "listen on loopback"),
            (["--parent", "proxy.example:1", "--profile", "/nowhere"], "/nowhere: cannot be read"),
            (["--parent", "proxy.example:1", "--profile", "p", "--basic"], "cleartext: true"),
            (["--parent", "a.example:1", "--map", "127.0.0.1:0"], "--map: "),
            (["--parent", "a.example:1", "--kerberos", "--profile", "x.yaml"], "leave --kerberos out"),
            (["--parent", "a.example:1", "--kerberos", "--basic"], "leave out --basic or --kerberos"),
            (["--parent", "a.example:1", "--map", "127.0.0.1:0=wiki.example"], "--map: "),
            (["--map", "https://127.0.0.1:0=https://wiki.example"], "there is no certificate to show"),
            (["--parent", "a.example:1", "--identity", "a=uid:1"], "give --profile"),
            (["--parent", "a.example:1", "--profile", "p", "--identity", "a=uid:x"], "--identity: "),
            (
                ["--parent", "a.example:1", "--profile", "p", "--identity", "a=client:me"],
                "give --client-accounts, --client-directory or"
            ),
            (
                ["--parent", "a.example:1", "--profile", "p", "--identity", "a=listener:127.0.0.1:9"],
                "add it with --listen"
            ),
            (["--map", "0.0.0.0:0=https://wiki.example"], "or --clients"),
            (
                ["--map", "127.0.0.1:0=https://wiki.example", "--listen", "127.0.0.1:0"],
                "give --parent, --pac, --wpad, --desktop-proxy, or --map alone"
            ),
            (["--map", "127.0.0.1:0=https://wiki.example", "--check", "http://a.example"], "give --parent"),
        ]
    )
    func problems(arguments: [String], expected: String) throws {
        let run = try SallyportRun(["relay", "--no-store"] + arguments)
        #expect(run.status == 2)
        #expect(run.error.contains(expected), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1 && run.output.isEmpty)
    }

    @Test("A port that is taken ends it with one line")
    func taken() async throws {
        let parent = try await ScriptedServer { _ in .close }
        defer { parent.stop() }
        let listen = "127.0.0.1:\(parent.origin.port)"
        let run = try SallyportRun(["relay", "--no-store", "--parent", "a.example:1", "--listen", listen])
        #expect(run.status == 2)
        #expect(run.error.hasPrefix("sallyport relay: \(listen): cannot listen ("), "\(run.error)")
    }

    @Test("--check says what works, ends with the first step that does not, and sends a wrong password once")
    func check() async throws {
        let parent = try await ScriptedServer { BasicParent.reply(to: $0, right: Self.first) }
        defer { parent.stop() }
        let folder = try StoreFolder()
        func keep(_ password: String) throws {
            _ = try folder.run(["add", "\(parent.origin)", "--proxy", "--user", "jdoe", "--stdin"], input: password)
        }
        func check(_ arguments: [String]) throws -> SallyportRun {
            // A port that is taken, because the relay runs already.
            let mapped = "127.0.0.1:\(parent.origin.port)=http://wiki.example"
            let all = [
                "relay", "--parent", "\(parent.origin)", "--basic", "--key-file", folder.path("key"), "--map", mapped,
                "--check",
            ]
            return try SallyportRun(all + arguments, environment: folder.environment)
        }
        try keep("wrong")
        let wrong = try check(["http://a.example/x", "--json"])
        #expect(wrong.status == 1)
        let steps = try wrong.output.split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String] ?? [:]
        }
        #expect(steps.map { $0["step"] } == ["connect", "offers", "account", "log-on"])
        #expect(steps.map { $0["result"] } == ["yes", "yes", "yes", "no"])
        #expect(parent.requests.filter { $0.field("Proxy-Authorization") != nil }.count == 1)
        try keep("first")
        let right = try check(["http://a.example/x"])
        #expect(right.status == 0)
        #expect(
            right.output.contains("\nyes  log-on   the parent lets jdoe pass, from the store\n"),
            "\(right.output)"
        )
        #expect(right.output.hasSuffix("yes  request  http://a.example/x: status 200\n"), "\(right.output)")
        #expect(try check(["a.example"]).error.hasPrefix("sallyport relay: --check: "))
    }

    @Test("The terminal is asked the first time and after a change of the password; the store keeps the answer")
    func terminal() throws {
        let folder = try StoreFolder()
        let script = HelperFile.url("relay_terminal.py")
        let run = try SallyportRun(
            [
                "python3", script.path(percentEncoded: false), SallyportRun.executable.path, "relay", "--listen",
                "127.0.0.1:0", "--parent", "PARENT", "--basic", "--key-file", folder.path("key"),
            ],
            environment: folder.environment.merging(["OUTPUT": folder.path("output")]) { $1 },
            program: URL(filePath: "/usr/bin/env")
        )
        let result = try run.json()
        #expect(result["statuses"] as? [Int] == [200, 200, 200, 0], "\(run.output) \(run.error)")
        #expect(result["again"] as? [Int] == [200, 0])
        #expect(result["bad"] as? Int == 1)
        let shown = try #require(result["shown"] as? String)
        #expect(shown.contains("The last password was refused."))
        #expect(shown.contains("Password of jdoe: "))
        #expect(!shown.contains("first") && !shown.contains("second"))
    }
}
