import Foundation
import Hostnames
import LiveServers
import SallyportRelay
import TestSupport
import Testing

/// PAC files in processes of their own.
@Suite(.inTurn, .needs(.javaScriptCore)) struct ProxyScriptTests {
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

    /// Without what Chromium does wrong: a range of months that ends in a month of 30 days.
    @Test(
        "Chromium gets the same of each function that scripts may call, also of wrong types and odd blanks",
        .needs(.chromium)
    )
    func chromium() throws {
        let expressions = try String(contentsOf: HelperFile.url("pac_expressions.txt"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        func script(_ expressions: [String], _ use: String) throws -> String {
            let list = String(decoding: try JSONEncoder().encode(expressions), as: UTF8.self)
            return """
                function value(expression) {
                    try {
                        var found = (0, eval)(expression);
                        return typeof found + " " + JSON.stringify(found === undefined ? "undefined" : found);
                    } catch (error) { return "! " + (error.name || error); }
                }
                function FindProxyForURL(url, host) { var values = \(list).map(value); \(use) }
                """
        }
        let asked = try script(
            expressions,
            "values.forEach(function (text, number) { alert(number + '\\t' + text); }); return 'DIRECT';"
        )
        let browser = try SallyportRun(
            ["python3", HelperFile.path("chromium_pac.py")],
            input: asked.utf8,
            program: URL(filePath: "/usr/bin/env")
        )
        let expected = try JSONDecoder().decode([String].self, from: Data(browser.output.utf8))
        try #require(expected.count == expressions.count)
        // An answer has a bound, so a few at a time.
        for start in stride(from: 0, to: expressions.count, by: 20) {
            let part = Array(expressions[start..<min(start + 20, expressions.count)])
            let answer = try Self.answer(script(part, "return JSON.stringify(values);"), "http://a.example/")
            let values = try JSONDecoder().decode([String].self, from: Data(answer.dropFirst().utf8))
            for (offset, (value, expression)) in zip(values, part).enumerated() {
                #expect(value == expected[start + offset], "\(expression)")
            }
            #expect(values.count == part.count)
        }
    }

    @Test(
        "JavaScript of today runs",
        arguments: [
            "let f = (a) => `PROXY ${a}:1`; function FindProxyForURL(url, host) { return f('x.example'); }",
            "class A { static #b = 'x.example'; static c() { return A.#b; } } function FindProxyForURL() { return `PROXY ${A.c()}:1`; }",
            "function FindProxyForURL(url, host) { for (const h of ['x.example']) { return 'PROXY ' + h + ':1'; } }",
            "function FindProxyForURL(url, host) { return host.startsWith('a') && url.includes('//') ? 'PROXY x.example:1' : 'DIRECT'; }",
            "function FindProxyForURL(url, host) { return Object.keys({ 'PROXY x.example:1': 1 }).find((k) => k.trim()); }",
            "function FindProxyForURL(url, host) { return JSON.parse('{\"p\":\"PROXY x.example:1\"}')?.p ?? 'DIRECT'; }",
            "function FindProxyForURL(url, host) { alert(host); return [...new Set(['PROXY x.example:1'])].join('; '); }",
            "function FindProxyForURLEx(url, host) { return 'PROXY x.example:1'; }",
            "\u{FEFF}function FindProxyForURL(url, host) { return 'PROXY x.example:1'; }",
            "var FindProxyForURL = function (url, host) { return 'PROXY x.example:1'; };",
        ]
    )
    func today(script: String) throws {
        #expect(try Self.answer(script, "http://a.example/") == "=PROXY x.example:1")
    }

    @Test("pypac, with another engine, answers the same", .needs(.pypac))
    func agreement() throws {
        let cases: [String: Any] = [
            "script": Self.script, "urls": Self.urls.map { [$0, URL(string: $0)?.host() ?? ""] },
        ]
        let oracle = HelperFile.url("pac_answers.py")
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
        let error = await #expect(throws: ProxyScriptError.self) { try await script.replace("function Find(") }
        #expect("\(try #require(error))".contains("SyntaxError"))
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

    @Test(
        "A script has no way to files, to the network, to processes or to other modules",
        arguments: [
            "XMLHttpRequest", "fetch", "WebSocket", "Worker", "importScripts", "require", "module", "process", "Deno",
            "Bun",
            "read", "readFile", "readline", "load", "run", "open", "print", "quit", "java", "ActiveXObject", "imports",
        ]
    )
    func confined(name: String) async throws {
        func finds(_ name: String) async throws -> Bool {
            let found = "typeof \(name) !== 'undefined' || typeof globalThis.\(name) !== 'undefined'"
            let script = try Self.run("function FindProxyForURL() { return \(found) ? 'PROXY found:1' : 'DIRECT'; }")
            return try await script.choices(for: Self.server()) != [.direct]
        }
        #expect(try await !finds(name))
        #expect(try await finds("isInNet"))
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
        try await eventually("these processes have ended: \(left)") {
            left = try Self.processes()
            return left.isEmpty
        }
    }

    @Test(
        "What is no usable script or answer has a name",
        arguments: [
            ("function (", "not JavaScript with a function FindProxyForURL (\"SyntaxError: "),
            ("var x = 1;", "not JavaScript with a function FindProxyForURL (\"it has no function"),
            ("throw new Error('first')", "not JavaScript with a function FindProxyForURL (\"Error: first\")"),
            (
                "function FindProxyForURL(url, host) { return nothing.at.all; }",
                "ended with an error (\"ReferenceError: "
            ),
            ("function FindProxyForURL(url, host) { throw 'x'; }", "ended with an error (\"x\")"),
            (
                "function FindProxyForURL(url, host) { return null; }",
                "ended with an error (\"the function has not returned a text\")"
            ),
            (
                "function FindProxyForURL(url, host) { return 'QUIC a.example:1'; }",
                "the answer \"QUIC a.example:1\" names no way"
            ),
            (
                "function FindProxyForURL(url, host) { var s = 'x'; while (s.length < 10000) s += s; return s; }",
                "the answer has more than 4096 bytes"
            ),
            (
                "function FindProxyForURL(url, host) { var s = 'x'; while (true) s += s; }",
                "ended with an error (\"RangeError: "
            ),
            (
                "function FindProxyForURL(url, host) { var a = []; while (true) a.push(new Array(1000).fill(1)); }",
                "ended with an error (\"it uses more than 256 MB\")"
            ),
        ]
    )
    func unusable(text: String, words: String) async throws {
        let script = try Self.run(text)
        let error = await #expect(throws: ProxyScriptError.self) { try await script.choices(for: Self.server()) }
        #expect("\(try #require(error))".contains(words))
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
                folder.path("key"), "--allow-destination", "127.0.0.1",
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
        let pac = ["--pac", "\(server.origin)/proxy.pac", "--no-store"]
        let relay = try RunningRelay(pac + ["--allow-destination", "127.0.0.1:\(parent.origin.port)"])
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        #expect(try RunningRelay(pac).get("http://a.example/").status == 403)
        let checked = try SallyportRun(["relay", "--check", "http://a.example/"] + pac)
        #expect(checked.status == 2 && checked.error.contains("--allow-destination"), "\(checked.error)")
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        for place in ["\(server.origin)/missing", "/nowhere/proxy.pac"] {
            let run = try SallyportRun(["relay", "--no-store", "--pac", place])
            #expect(run.status == 2 && run.error.hasPrefix("sallyport relay: --pac: \(place): "), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
    }
}
