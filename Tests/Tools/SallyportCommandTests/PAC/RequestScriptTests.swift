import Foundation
import Hostnames
import LiveServers
import TestSupport
import Testing

/// `get` and `explain` with a PAC file.
@Suite(.inTurn, .serialized, .needs(.javaScriptCore)) struct RequestScriptTests {
    private static func ways(_ run: SallyportRun) throws -> [String]? {
        let steps = try run.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        return steps.first { $0["step"] as? String == "proxy" }?["ways"] as? [String]
    }

    @Test(
        "Squid is the second proxy of the list: it gets the request, and the password if --proxy or the profile names it",
        .needs(.squid, .pypac, .python)
    )
    func squid() async throws {
        let server = try await GuardedServer.started(.squidBasic)
        let folder = try RequestFolder()
        let (url, port) = ("\(try server.openOrigin)\(server.page(1))", try server.address().port)
        let (closed, proxy) = (try ServerPort.take(), "http://localhost:\(port)")
        let script = """
            function FindProxyForURL(url, host) {
                if (shExpMatch(url, "http://127.0.0.1*")) return "PROXY localhost:\(closed); PROXY localhost:\(port); DIRECT";
                return "DIRECT";
            }
            """
        try folder.write(script, "proxy.pac")
        try folder.keep(GuardedServer.password, of: "jdoe", for: proxy, isProxy: true)
        let common = ["--pac", folder.path("proxy.pac"), "--cleartext"] + folder.key
        let unnamed = try await folder.live(["get", url] + common)
        #expect(unnamed.status == 1, "\(unnamed.error)")
        #expect(unnamed.error.contains("only the PAC file names it: give --proxy \(proxy), too"), "\(unnamed.error)")
        #expect(try server.takeBadLogOns() == 0)
        let named = try await folder.live(["get", url, "--proxy", proxy] + common)
        #expect(named.status == 0 && named.output == "<p>in</p>\n", "\(named.error)")
        #expect(try server.takeBadLogOns() == 0)

        // A profile names it as well; the variables of the environment do not count.
        try folder.profile(GuardedServer.password, at: proxy, schemes: "basic")
        let told = try await folder.live(
            ["explain", url, "--pac", folder.path("proxy.pac"), "--json", "--profile", folder.path("profile.yaml")],
            environment: ["http_proxy": "http://localhost:\(closed)"]
        )
        #expect(told.status == 0, "\(told.output) \(told.error)")
        #expect(told.output.contains("the next one of the list is tried"))
        // The list is that of pypac.
        let cases: [String: Any] = ["script": script, "urls": [[url, "127.0.0.1"]]]
        let pypac = try SallyportRun(
            ["python3", HelperFile.path("pac_answers.py")],
            input: JSONSerialization.data(withJSONObject: cases),
            program: URL(filePath: "/usr/bin/env")
        )
        let answers = try JSONDecoder().decode([String].self, from: Data(pypac.output.utf8))
        let expected = answers[0].components(separatedBy: "; ").map {
            $0 == "DIRECT" ? "none" : "http://" + $0.dropFirst("PROXY ".count)
        }
        #expect(try Self.ways(told) == expected && expected.count == 3)
        #expect(!folder.written.contains(GuardedServer.password))
    }

    @Test("Each hop of a redirect asks the script; a SOCKS proxy is left out, and named if there is no other way")
    func hops() async throws {
        let (first, second) = (
            try await ScriptedServer { _ in
                .send("HTTP/1.1 302 Go\r\nLocation: http://b.example/\r\nContent-Length: 0\r\n\r\n")
            },
            try await ScriptedServer { _ in .send(BasicParent.ok) }
        )
        defer { for each in [first, second] { each.stop() } }
        let folder = try RequestFolder()
        try folder.write(
            """
            function FindProxyForURL(url, host) {
                if (host == "a.example") return "SOCKS5 localhost:1; PROXY localhost:\(first.origin.port)";
                if (host == "b.example") return "PROXY localhost:\(second.origin.port)";
                if (host == "fails.example") throw new Error("no way");
                return "SOCKS localhost:1";
            }
            """,
            "proxy.pac"
        )
        func get(_ host: String) async throws -> SallyportRun {
            try await folder.live([
                "get", "http://\(host)/", "--pac", folder.path("proxy.pac"), "--no-prompt", "--no-store",
            ])
        }
        let run = try await get("a.example")
        #expect(run.status == 0 && run.output == "ok", "\(run.error)")
        #expect(first.requests.map(\.target) == ["http://a.example/"])
        #expect(second.requests.map(\.target) == ["http://b.example/"])
        for (host, words) in [
            ("c.example", "for http://c.example it names only socks5://localhost:1, which speaks SOCKS"),
            ("fails.example", "ended with an error (\"Error: no way\")"),
        ] {
            let refused = try await get(host)
            let start = "sallyport get: --pac: \(folder.path("proxy.pac")): "
            #expect(refused.status == 2 && refused.error.hasPrefix(start), "\(refused.error)")
            #expect(
                refused.error.contains(words) && refused.error.split(separator: "\n").count == 1,
                "\(refused.error)"
            )
        }
    }

    @Test(
        "Options that contradict each other, and files that cannot be used, end with 2 and one line",
        arguments: [
            (["--pac", "x.pac", "--direct"], "--direct uses no proxy"),
            (["--pac", "x.pac", "--wpad"], "give one"),
            (["--pac", "/nowhere/x.pac"], "--pac: /nowhere/x.pac: "),
            (["--kerberos", "--profile", "x"], "write 'kerberos: true' in its account"),
            (["--kerberos", "--netrc"], "A ticket says who you are"),
            (["--kerberos", "--store", "x", "--key-file", "y"], "leave out --kerberos or the options of the store"),
        ],
        ["get", "explain"]
    )
    func mistakes(arguments: (options: [String], words: String), verb: String) throws {
        let run = try RequestFolder().run([verb, "http://a.example/"] + arguments.options)
        #expect(run.status == 2, "\(run.error)")
        #expect((run.output + run.error).contains(arguments.words), "\(run.output) \(run.error)")
    }
}
