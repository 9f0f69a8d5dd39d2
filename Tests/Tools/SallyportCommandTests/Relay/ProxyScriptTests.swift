import Foundation
import Hostnames
import LiveServers
import SallyportRelay
import Testing

/// PAC files through Debian's pacparser, in processes of their own.
@Suite(.inTurn, .needs(.pacparser)) struct ProxyScriptTests {
    private static let script = """
        // The functions of a PAC file that depend on nothing outside.
        function FindProxyForURL(url, host) {
            if (isPlainHostName(host)) return "DIRECT";
            if (localHostOrDomainIs(host, "www.corp.example")) return "PROXY local:1";
            if (dnsDomainIs(host, ".corp.example")) return "PROXY inner.example:8080; DIRECT";
            if (shExpMatch(url, "https://*.secure.example*")) return "HTTPS tls.example:8443";
            if (shExpMatch(host, "a?.star.example")) return "SOCKS5 socks.example:1080";
            if (isInNet(host, "10.1.0.0", "255.255.0.0")) return "PROXY net.example:1";
            if (dnsDomainLevels(host) == 4) return "PROXY levels.example:4";
            if (/^([a-z])\\1+\\.regex\\.example$/.test(host)) return "PROXY regex.example:1";
            var parts = host.split(".").reverse();
            return "PROXY " + parts[0] + ".default.example:" + (8000 + host.length) + "; " + url;
        }
        """
    private static let urls = [
        "http://intranet/", "http://www/", "http://www.corp.example/", "http://wiki.corp.example/",
        "http://corp.example/",
        "https://x.secure.example/", "http://x.secure.example/", "https://secure.example.evil.example:8443/",
        "http://ab.star.example/", "http://abc.star.example/", "http://10.1.2.3/", "http://10.2.2.3:8080/",
        "http://a.b.c.d.example/", "http://aaa.regex.example/", "http://abc.regex.example/", "http://example/x",
    ]

    /// What one call answers, without its mark.
    private static func answer(_ script: String, _ url: String) throws -> String {
        let host = URL(string: url)?.host() ?? ""
        let run = try SallyportRun(["run-pac"], input: "\(url)\n\(host)\n\(script)".utf8)
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return run.output
    }

    @Test("pactester, and pypac with another engine, answer the same", .needs(.pypac))
    func agreement() throws {
        let folder = try StoreFolder()
        try folder.write(Self.script, "proxy.pac")
        let cases: [String: Any] = [
            "script": Self.script, "urls": Self.urls.map { [$0, URL(string: $0)?.host() ?? ""] },
        ]
        let oracle = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "pac_answers.py")
        let env = URL(filePath: "/usr/bin/env")
        let pypac = try SallyportRun(
            ["python3", oracle.path],
            input: JSONSerialization.data(withJSONObject: cases),
            program: env
        )
        let others = try #require(try JSONSerialization.jsonObject(with: Data(pypac.output.utf8)) as? [String])
        for (url, other) in zip(Self.urls, others) {
            let answer = try Self.answer(Self.script, url)
            #expect(answer == "=" + other, "\(url)")
            let tester = try SallyportRun(["pactester", "-p", folder.path("proxy.pac"), "-u", url], program: env)
            #expect(answer == "=" + tester.output.trimmingCharacters(in: .newlines), "\(url)")
        }
        #expect(Set(others).count >= 10)
    }

    private static func run(_ script: String, limit: Duration = .seconds(600)) throws -> ProxyScript {
        try ProxyScript(script, command: [SallyportRun.executable.path, "run-pac"], limit: limit)
    }

    private static func server(_ name: String = "a") throws -> Origin { try Origin(parsing: "http://\(name).example") }

    @Test("The script gets scheme, host and port, and not the path; the answer is kept, and forgotten with the script")
    func kept() async throws {
        let script = try Self.run(
            "function FindProxyForURL(url, host) { return url == 'https://[2001:db8::1]:8443/' && host == '2001:db8::1' ? 'PROXY a.example:1' : 'DIRECT'; }"
        )
        let server = try Origin(parsing: "https://[2001:db8::1]:8443")
        #expect(script.known(for: server) == nil)
        let expected = [RelayRoute.proxy(try RelayParent(parsing: "a.example:1"))]
        #expect(try await script.choices(for: server) == expected)
        #expect(script.known(for: server) == expected)
        await #expect(throws: ProxyScriptError.unreadable) { try await script.replace("function Find(") }
        #expect(script.known(for: server) == expected)
        try await script.replace("function FindProxyForURL(url, host) { return 'DIRECT'; }")
        #expect(script.known(for: server) == nil)
        #expect(try await script.choices(for: server) == [.direct])
    }

    /// The processes that run scripts for this one.
    private static func processes() throws -> String {
        try SallyportRun(
            ["pgrep", "-P", "\(getpid())", "-f", "run-pac"],
            program: URL(filePath: "/usr/bin/env")
        ).output
    }

    @Test("A script that does not end is given up, and its process is gone; others go on")
    func endless() async throws {
        let script = try Self.run(
            "function FindProxyForURL(url, host) { while (host == 'a.example') {} return 'DIRECT'; }",
            limit: .seconds(1)
        )
        let begin = ContinuousClock.now
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    await #expect(throws: ProxyScriptError.timedOut(.seconds(1))) {
                        try await script.choices(for: Self.server())
                    }
                }
            }
        }
        #expect(ContinuousClock.now - begin < .seconds(300))
        // A busy machine may need longer than the limit of the other one.
        let good = try Self.run(
            "function FindProxyForURL(url, host) { while (host == 'a.example') {} return 'DIRECT'; }"
        )
        #expect(try await good.choices(for: Self.server("b")) == [.direct])
        // Other tests have such processes, too, which end by themselves.
        var left = try Self.processes()
        for _ in 0..<3_000 where !left.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
            left = try Self.processes()
        }
        #expect(left.isEmpty)
    }

    @Test(
        "What is no usable script or answer has a name",
        arguments: [
            ("function (", ProxyScriptError.unreadable), ("var x = 1;", .failed),
            ("function FindProxyForURL(url, host) { return nothing.at.all; }", .failed),
            ("function FindProxyForURL(url, host) { throw 'x'; }", .failed),
            ("function FindProxyForURL(url, host) { return 'QUIC a.example:1'; }", .noWay(answer: "QUIC a.example:1")),
            (
                "function FindProxyForURL(url, host) { var s = 'x'; while (s.length < 10000) s += s; return s; }",
                .answerTooLong
            ),
            (
                "function FindProxyForURL(url, host) { var s = 'x'; while (true) s += s; }",
                .failed
            ),
        ]
    )
    func unusable(text: String, error: ProxyScriptError) async throws {
        let script = try Self.run(text)
        await #expect(throws: error) { try await script.choices(for: Self.server()) }
        #expect(script.known(for: try Self.server()) == nil)
    }

    @Test("A script that is too long or has a zero byte is refused before any call")
    func refused() {
        for text in ["a\0b", String(repeating: "x", count: ProxyScriptLimits.scriptBytes + 1)] {
            #expect(throws: ProxyScriptError.unusableScript) { try Self.run(text) }
        }
    }

    @Test("A program that cannot be started, or says nothing, is named")
    func noProcess() async throws {
        for command in [["/nowhere/sallyport"], ["true"]] {
            let script = try ProxyScript(
                "function FindProxyForURL(url, host) { return 'DIRECT'; }",
                command: command,
                limit: .seconds(600)
            )
            let error = await #expect(throws: ProxyScriptError.self) { try await script.choices(for: Self.server()) }
            #expect("\(error!)".contains("its process did not run ("))
        }
    }

    // MARK: The command

    @Test("--pac takes a file or a URL; SIGHUP reads it again; only a proxy that --parent names gets the password")
    func command() async throws {
        let (open, asking) = (
            try await ScriptedServer { _ in .send(BasicParent.ok) },
            try await ScriptedServer { BasicParent.reply(to: $0, right: "amRvZTpmaXJzdA==") }
        )
        defer { for each in [open, asking] { each.stop() } }
        let folder = try StoreFolder()
        let added = try folder.run(["add", "\(asking.origin)", "--proxy", "--user", "jdoe", "--stdin"], input: "first")
        #expect(added.status == 0)
        func write(_ other: ScriptedServer) throws {
            let script = """
                function FindProxyForURL(url, host) {
                    if (host == "asking.example") return "PROXY 127.0.0.1:\(asking.origin.port)";
                    return "PROXY 127.0.0.1:\(other.origin.port); DIRECT";
                }
                """
            try folder.write(script, "proxy.pac")
        }
        try write(open)
        let relay = try RunningRelay(
            [
                "--pac", folder.path("proxy.pac"), "--parent", "\(asking.origin)", "--basic", "--key-file",
                folder.path("key"),
            ],
            environment: folder.environment
        )
        #expect(relay.announcement[0].hasSuffix(", parents by \(folder.path("proxy.pac"))"))
        #expect(try relay.get("http://open.example/") == (200, "ok"))
        #expect(try relay.get("http://asking.example/") == (200, "ok"))
        #expect(open.requests.count == 1 && open.requests[0].field("Proxy-Authorization") == nil)
        #expect(asking.requests.contains { $0.field("Proxy-Authorization") != nil })
        try write(asking)
        relay.send(SIGHUP)
        try relay.waitForLog("is read again")
        #expect(try relay.get("http://open.example/") == (200, "ok"))
        #expect(open.requests.count == 1)
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    @Test("A PAC file of a server, and what cannot be read")
    func places() async throws {
        let parent = try await ScriptedServer { _ in .send(BasicParent.ok) }
        defer { parent.stop() }
        let text = "function FindProxyForURL(url, host) { return 'PROXY 127.0.0.1:\(parent.origin.port)'; }"
        let server = try await ScriptedServer { request in
            guard request.target == "/proxy.pac" else {
                return .send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
            }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
        defer { server.stop() }
        let relay = try RunningRelay(["--pac", "\(server.origin)/proxy.pac", "--no-store"])
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        for place in ["\(server.origin)/missing", "/nowhere/proxy.pac"] {
            let run = try SallyportRun(["relay", "--no-store", "--pac", place])
            #expect(run.status == 2 && run.error.hasPrefix("sallyport relay: --pac: \(place): "), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }
}
