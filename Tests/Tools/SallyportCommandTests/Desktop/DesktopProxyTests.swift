import Foundation
import Hostnames
import LiveServers
import TestSupport
import Testing

/// `--desktop-proxy` of `get`, `explain` and `relay`.
@Suite(.inTurn) struct DesktopProxyTests {
    @Test("get and explain use KDE's proxy, and its password; a SOCKS proxy alone is refused by name")
    func kde() async throws {
        let proxy = try await ScriptedServer { BasicParent.reply(to: $0, right: "amRvZTpmaXJzdA==") }
        defer { proxy.stop() }
        let folder = try RequestFolder()
        let environment = [
            "XDG_CURRENT_DESKTOP": "KDE", "XDG_CONFIG_HOME": folder.path(""), "http_proxy": "http://localhost:1",
        ]
        try folder.keep("first", of: "jdoe", for: "http://localhost:\(proxy.origin.port)", isProxy: true)
        func run(_ verb: String, _ type: String, _ url: String = "http://a.example/") async throws -> SallyportRun {
            try folder.write("[Proxy Settings]\n\(type)\n", "kioslaverc")
            let options = ["--desktop-proxy", "--cleartext", "--no-prompt"] + folder.key
            return try await folder.live([verb, url] + options, environment: environment)
        }
        let manual = "ProxyType=1\nhttpProxy=http://localhost \(proxy.origin.port)\nNoProxyFor=localhost"
        let got = try await run("get", manual)
        #expect(got.status == 0 && got.output == "ok", "\(got.error)")
        #expect(proxy.requests.allSatisfy { $0.target == "http://a.example/" })
        let told = try await run("explain", manual)
        #expect(
            told.output.contains("http://localhost:\(proxy.origin.port), from the desktop's setting (KDE)"),
            "\(told.output) \(told.error)"
        )
        let excepted = try await run("explain", manual, "http://localhost:\(proxy.origin.port)/")
        #expect(excepted.output.contains("none, because the desktop's setting (KDE) excepts the host"))
        let socks = try await run("get", "ProxyType=1\nsocksProxy=socks://localhost 1")
        let start =
            "sallyport get: --desktop-proxy: the desktop's setting (KDE): for http://a.example it names only socks5://localhost:1"
        #expect(socks.status == 2 && socks.error.hasPrefix(start), "\(socks.error)")
        #expect(socks.error.split(separator: "\n").count == 1)
    }

    @Test("relay uses GNOME's proxy, and says so", .needs(.gnomeProxies))
    func gnome() async throws {
        let proxy = try await ScriptedServer { _ in .send(BasicParent.ok) }
        defer { proxy.stop() }
        let folder = try StoreFolder()
        let settings = folder.path("glib-2.0/settings")
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try folder.write(
            "[system/proxy]\nmode='manual'\n[system/proxy/http]\nhost='localhost'\nport=\(proxy.origin.port)\n",
            "glib-2.0/settings/keyfile"
        )
        let relay = try RunningRelay(
            ["--desktop-proxy", "--no-store"],
            environment: folder.environment.merging([
                "XDG_CURRENT_DESKTOP": "ubuntu:GNOME", "GSETTINGS_BACKEND": "keyfile",
                "XDG_CONFIG_HOME": folder.path(""),
            ]) { $1 }
        )
        #expect(relay.announcement[0].hasSuffix(", parents by the desktop's setting (GNOME)"))
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        #expect(proxy.requests.map(\.target) == ["http://a.example/"])
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }
}
