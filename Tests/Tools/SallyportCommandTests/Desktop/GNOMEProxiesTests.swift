import Foundation
import Hostnames
import LiveServers
import SallyportRelay
import TestLimits
import TestSupport
import Testing

@testable import SallyportCommand

/// GNOME's setting beside GLib, whose resolver programs of the desktop ask.
@Suite(.inTurn) struct GNOMEProxiesTests {
    /// What `gnome_proxies.py` prints.
    private struct Answer: Decodable {
        let ways: [String]
        let hosts: [String]
    }

    private static let urls = [
        "http://a.example", "https://a.example", "http://corp.example", "https://x.corp.example", "http://dot.example",
        "http://x.dot.example", "http://plain.example", "http://x.plain.example", "http://notplain.example",
        "http://10.1.1.1", "http://11.1.1.1", "https://h.example:8443", "http://h.example:8080", "http://127.3.3.3",
        "http://[::1]:8080", "http://[fe80::1]:8080", "http://badone", "http://localhost",
    ]
    private static let exceptions =
        "['localhost', '127.0.0.0/8', '::1', '*.corp.example', '.dot.example', 'plain.example', '10.0.0.0/8', 'h.example:8443', 'bad*']"

    @Test(
        "The ways are those of GLib",
        .needs(.gnomeProxies),
        arguments: [
            """
            [system/proxy]
            mode='manual'
            ignore-hosts=\(exceptions)
            [system/proxy/http]
            host='proxy.example'
            port=3128
            [system/proxy/socks]
            host='socks.example'
            port=1080
            """,
            """
            [system/proxy]
            mode='manual'
            use-same-proxy=false
            [system/proxy/https]
            host='secure.example'
            port=443
            [system/proxy/socks]
            host='socks.example'
            port=1081
            """,
            """
            [system/proxy]
            mode='none'
            [system/proxy/http]
            host='proxy.example'
            port=3128
            """,
        ]
    )
    func ways(settings: String) throws {
        let (answer, output) = try Self.read(settings)
        guard case .proxies(let proxies) = try GNOMEProxies(output).choice(warn: { _ in }) else {
            Issue.record("no proxies")
            return
        }
        for (url, expected) in zip(Self.urls, answer.ways) {
            let route = try #require(proxies.known(for: Origin(parsing: url))).first
            switch route {
            case .direct: #expect(expected == "direct://", "\(url)")
            // The text of an https proxy's origin leaves the port out.
            case .proxy(let parent):
                let scheme = parent.kind == .http ? parent.origin.scheme.rawValue : "socks5"
                #expect(expected == "\(scheme)://\(parent.origin.host):\(parent.origin.port)", "\(url)")
            case nil: Issue.record("\(url) has no way")
            }
        }
    }

    @Test("Strings with escapes are read as GLib reads them", .needs(.gnomeProxies))
    func strings() throws {
        let hosts = #"['it\'s', "a\"b'", 'ü', 'a\tb\u0001', '\U0001f600', '\\', '']"#
        let (answer, output) = try Self.read("[system/proxy]\nignore-hosts=\(hosts)")
        let line = try #require(output.split(separator: "\n").first { $0.contains("ignore-hosts") })
        let value = try #require(line.split(separator: " ", maxSplits: 2).last)
        #expect(GVariantText.strings(value) == answer.hosts && answer.hosts.count == 7)
    }

    /// What GLib says of a file of its settings, and what `gsettings` prints of it.
    private static func read(_ settings: String) throws -> (Answer, String) {
        let folder = try TemporaryFolder("gnome")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "glib-2.0/settings"),
            withIntermediateDirectories: true
        )
        try settings.write(
            to: folder.url.appending(path: "glib-2.0/settings/keyfile"),
            atomically: true,
            encoding: .utf8
        )
        let environment = [
            "XDG_CURRENT_DESKTOP": "GNOME", "GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": folder.url.path,
        ]
        let env = URL(filePath: "/usr/bin/env")
        let oracle = try SallyportRun(
            ["/usr/bin/python3", HelperFile.path("gnome_proxies.py")] + urls,
            environment: environment,
            program: env
        )
        let output = try SallyportRun(
            ["gsettings", "list-recursively", GNOMEProxies.schema],
            environment: environment,
            program: env
        )
        return (try JSONDecoder().decode(Answer.self, from: Data(oracle.output.utf8)), output.output)
    }

    @Test(
        "A setting that cannot be used is one line",
        arguments: [
            ("", "gsettings prints no usable value of 'mode'"),
            ("org.gnome.system.proxy mode 'other'", "gsettings prints no usable value of 'mode'"),
            (
                "org.gnome.system.proxy mode 'manual'\norg.gnome.system.proxy.http host 'a.example'\norg.gnome.system.proxy.http port 0",
                "org.gnome.system.proxy.http has a host without a port: set its port"
            ),
            (
                "org.gnome.system.proxy mode 'manual'\norg.gnome.system.proxy.http host 'jdoe:w0rd@a.example'\norg.gnome.system.proxy.http port 1",
                "org.gnome.system.proxy.http: an account stands before '@'"
            ),
        ]
    )
    func problems(output: String, words: String) {
        let error = #expect(throws: DesktopProblem.self) { try GNOMEProxies(output).choice(warn: { _ in }) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("--desktop-proxy: the desktop's setting (GNOME): \(words)"), "\(text)")
        #expect(!text.contains("\n") && !text.contains("w0rd"))
    }
}
