import AllowedSites
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import Testing

/// Proxies that a script names, on addresses that the relay does not serve.
@Suite(.inTurn) struct ForbiddenProxyTests {
    private struct Script: ProxyChooser {
        let routes: [RelayRoute]
        let isKnown: Bool

        func known(for server: Origin) -> [RelayRoute]? { isKnown ? routes : nil }
        func choices(for server: Origin) async throws -> [RelayRoute] { routes }
    }

    private static func proxy() async throws -> ScriptedServer {
        try await ScriptedServer { _ in .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }

    private static func route(_ text: String) throws -> RelayRoute { .proxy(try RelayParent(parsing: text)) }

    @Test(
        "A script reaches no proxy on loopback, in any spelling and of any kind, and the reason names the remedy",
        arguments: [
            "127.0.0.1", "127.9.8.7", "[::1]", "[64:ff9b::127.0.0.1]", "localhost", "a.localhost",
            "0.0.0.0", "169.254.169.254", "[fe80::1]", "ip6-localhost", "https://127.0.0.1", "socks5://127.0.0.1",
            "socks5://localhost", "socks5://[::1]",
        ],
        [true, false]
    )
    func forbidden(host: String, isKnown: Bool) async throws {
        let proxy = try await Self.proxy()
        defer { proxy.stop() }
        let script = Script(routes: [try Self.route("\(host):\(proxy.origin.port)")], isKnown: isKnown)
        try await TestRelay.run(before: [], chooser: script) { relay in
            for target in ["http://a.example/", "http://a.example/again"] {
                let client = try relay.connect()
                let response = try client.get(target)
                #expect(response.status == 403 && response.body.contains("--allow-destination"), "\(response)")
            }
            let client = try relay.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 403)
            #expect(await relay.relay.counters().parentConnections == 0)
        }
        #expect(proxy.requests.isEmpty)
    }

    /// The rules allow the name here, and not its addresses: what the name leads to is checked for itself.
    @Test(
        "A name of a proxy must not lead to loopback either",
        arguments: ["", "https://", "socks5://"],
        ["http://a.example/", "mapped"]
    )
    func resolved(scheme: String, target: String) async throws {
        let proxy = try await Self.proxy()
        defer { proxy.stop() }
        var settings = RelaySettings()
        settings.chooser = Script(routes: [try Self.route("\(scheme)localhost:\(proxy.origin.port)")], isKnown: false)
        let list = try SiteDialect.noProxy.read("localhost", name: "test").list
        settings.destinations.allowed = SiteTrie(compiling: list)
        let (listener, server) = (try ListenAddress(parsing: "127.0.0.1:0"), try Origin(parsing: "https://a.example"))
        settings.listeners = target == "mapped" ? [] : [listener]
        settings.mappings = target == "mapped" ? [RelayMapping(listener, to: server)] : []
        try await TestRelay.run(settings) { relay, ports in
            let client = try RelayClient(port: ports[0])
            let response = target == "mapped" ? try client.ask("/", host: "127.0.0.1") : try client.get(target)
            #expect(response.status == 403 && response.body.contains("--allow-destination"), "\(response)")
            #expect(await relay.counters().failovers == 0)
        }
        #expect(proxy.connections == 0)
    }

    @Test("A forbidden proxy is left out of a list, and the next way is used")
    func next() async throws {
        let (stranger, known) = (try await Self.proxy(), try await Self.proxy())
        defer { for each in [stranger, known] { each.stop() } }
        let script = Script(
            routes: [.proxy(RelayParent(stranger.origin)), .proxy(RelayParent(known.origin))],
            isKnown: false
        )
        // Named by the settings.
        try await TestRelay.run(before: [RelayParent(known.origin)], chooser: script) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://a.example/").body == "ok")
        }
        #expect(stranger.requests.isEmpty && known.requests.count == 1)
    }

    @Test("The rules allow a proxy by its host and port")
    func allowed() async throws {
        let (proxy, other) = (try await Self.proxy(), try await Self.proxy())
        defer { for each in [proxy, other] { each.stop() } }
        var rules = DestinationRules()
        let list = "127.0.0.1:\(proxy.origin.port)"
        rules.allowed = SiteTrie(compiling: try SiteDialect.noProxy.read(list, name: "test").list)
        for (server, status) in [(proxy, 200), (other, 403)] {
            let script = Script(routes: [.proxy(RelayParent(server.origin))], isKnown: false)
            try await TestRelay.run(before: [], chooser: script, destinations: rules) { relay in
                let client = try relay.connect()
                #expect(try client.get("http://a.example/").status == status)
            }
        }
    }
}
