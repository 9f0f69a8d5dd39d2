import Foundation
import Hostnames
import LiveServers
import TestSupport
import Testing

@testable import SallyportCommand

/// Where WPAD looks for a PAC file.
@Suite(.inTurn) struct WPADSearchTests {
    @Test(
        "The search domains are those of resolv.conf(5)",
        arguments: [
            (
                "nameserver 10.0.0.1\nsearch corp.example lab.corp.example\n", nil, "pc",
                ["corp.example", "lab.corp.example"]
            ),
            // The last line counts, and `domain` has one name.
            ("search a.example\ndomain b.example c.example\n", nil, "pc.d.example", ["b.example"]),
            ("domain b.example\nsearch\ta.example \t b.example\r\n", nil, "pc", ["a.example", "b.example"]),
            // A keyword begins its line, and has a value.
            ("domain b.example\n search a.example\nsearch\n", nil, "pc", ["b.example"]),
            (
                "# search x.example\n; search y.example\nnameserver 10.0.0.1", nil, "pc.site.corp.example\n",
                ["site.corp.example"]
            ),
            ("search a.example\n", "own.example other.example", "pc", ["own.example", "other.example"]),
            ("search a.example\n", "", "pc.b.example", []),
            ("search\n", nil, "pc.b.example", ["b.example"]),
            ("search .\n", nil, "pc.b.example", ["."]),
            ("", nil, "pc", []),
        ] as [(String, String?, String, [String])]
    )
    func domains(resolver: String, localDomain: String?, host: String, expected: [String]) {
        let found = WPADSearch.domains(resolver: resolver, localDomain: localDomain, hostName: host)
        #expect(found == expected)
    }

    /// The suffixes are those of publicsuffix.org: `co.uk`, `com`, `github.io`, `kawasaki.jp` with its wildcard.
    @Test(
        "Domains above are tried while two labels are left and strangers cannot register there",
        arguments: [
            (["site.corp.example"], ["wpad.site.corp.example", "wpad.corp.example"]),
            (["Lab.Corp.Example."], ["wpad.lab.corp.example", "wpad.corp.example"]),
            (["a.firm.co.uk"], ["wpad.a.firm.co.uk", "wpad.firm.co.uk"]),
            (["co.uk", "com", "github.io", "a.kawasaki.jp", "."], []),
            (["me.github.io"], ["wpad.me.github.io"]),
            (["a.firm.com", "firm.com", "b.firm.com"], ["wpad.a.firm.com", "wpad.firm.com", "wpad.b.firm.com"]),
            (["10.1.2.3", "lan", "not a name", ""], []),
            (
                ["a.b.c.d.e.f.g.h.i.j.example"],
                (0..<8).map { "wpad." + "abcdefghij".dropFirst($0).map { "\($0)." }.joined() + "example" }
            ),
        ] as [([String], [String])]
    )
    func hosts(domains: [String], expected: [String]) {
        #expect(WPADSearch(domains: domains).hosts.map(\.description) == expected)
    }

    @Test("Without a search domain, the error says what to give") func nothing() async {
        let error = await #expect(throws: PACProblem.self) { try await WPADSearch(domains: ["com"]).find() }
        #expect(error?.description.hasPrefix("--wpad: this machine has no search domain") == true)
        #expect(error?.description.contains("--pac") == true)
    }

    @Test(
        "get and relay find the file of the domain above, and ask DNS for no name of a stranger",
        .needs(.namespaces, .javaScriptCore, .python)
    )
    func live() async throws {
        let proxy = try await ScriptedServer { _ in .send(BasicParent.ok) }
        let script = "function FindProxyForURL(url, host) { return 'PROXY localhost:\(proxy.origin.port); DIRECT'; }"
        // An address of its own, because the port is always 80.
        let server = try await ScriptedServer(host: "127.77.80.1", port: 80) { request in
            guard request.target == "/wpad.dat", request.field("Host") == "wpad.corp.example" else {
                return .send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
            }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(script.utf8.count)\r\n\r\n\(script)")
        }
        defer { for each in [proxy, server] { each.stop() } }
        let folder = try RequestFolder()
        // The first domain has a server without the file. A resolver would add the second one to names that it does not find.
        let names = ["wpad.corp.example=127.77.80.1", "wpad.site.corp.example=127.77.80.1"]
        let dns = try HelperProcess(
            ["python3", HelperFile.path("dns_names.py"), "127.77.80.1", folder.path("asked")] + names
        )
        defer { withExtendedLifetime(dns) {} }
        #expect(try dns.readLine() == "ready")
        try folder.write("search site.corp.example com\nnameserver 127.77.80.1\n", "resolv.conf", mode: 0o644)
        func run(_ arguments: String..., localDomain: String? = nil) async throws -> SallyportRun {
            let mount = "mount --bind \"$1\" /etc/resolv.conf && shift && exec \"$@\""
            let variables = localDomain.map { ["LOCALDOMAIN": $0] } ?? [:]
            return try await withTaskExecutorPreference(ThreadPerJob.shared) {
                try SallyportRun(
                    ["-m", "sh", "-c", mount, "sh", folder.path("resolv.conf"), SallyportRun.executable.path]
                        + arguments,
                    environment: folder.environment.merging(variables) { $1 },
                    program: URL(filePath: "/usr/bin/unshare")
                )
            }
        }
        let got = try await run("get", "http://a.example/", "--wpad", "--no-store", "--no-prompt")
        #expect(got.status == 0 && got.output == "ok", "\(got.error)")
        #expect(proxy.requests.map(\.target) == ["http://a.example/"])
        #expect(server.requests.map { $0.field("Host") } == ["wpad.site.corp.example", "wpad.corp.example"])
        let check = try await run(
            "relay",
            "--wpad",
            "--no-store",
            "--check",
            "http://a.example/",
            "--allow-destination",
            "localhost,127.0.0.0/8"
        )
        #expect(check.status == 0 && check.output.contains("yes  request"), "\(check.output) \(check.error)")
        let none = try await run(
            "get",
            "http://a.example/",
            "--wpad",
            "--no-store",
            "--no-prompt",
            localDomain: "other.example com"
        )
        let start = "sallyport get: --wpad: no PAC file was found (wpad.other.example: "
        #expect(none.status == 2 && none.error.hasPrefix(start), "\(none.error)")
        #expect(none.error.split(separator: "\n").count == 1)
        let asked = Set(try folder.text("asked").split(separator: "\n").map(String.init))
        #expect(asked == ["wpad.site.corp.example", "wpad.corp.example", "wpad.other.example"])
    }
}
