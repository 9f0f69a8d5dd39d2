import Credentials
import Hostnames
import LiveServers
import SPKIPins
import Sallyport
import SallyportNIO
import SallyportRelay
import Secrets
import Testing
import X509

/// A parent over TLS: HAProxy before a proxy that asks for Basic, with the roots, pins and client certificates of a profile.
@Suite(.inTurn, .needs(.haproxy)) struct TLSParentTests {
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"

    private static func proxy() async throws -> ScriptedServer {
        try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") == answer else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            if request.head.hasPrefix("CONNECT") { return .send("HTTP/1.1 200 Yes\r\n\r\n") }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    /// What the relay's side knows of the parent.
    private struct World {
        let root: TestAuthority
        let clients: TestAuthority
        var trusted: TestAuthority
        var pin: Pin?
        var identity: Keyed?

        init() throws {
            root = try TestAuthority("Root")
            clients = try TestAuthority("Clients")
            trusted = root
        }
    }

    /// Runs a relay with an account for the parent, and returns the response to a request, or the status of a tunnel.
    private static func response(
        _ world: World,
        _ leaf: Keyed,
        asksClients: Bool = false,
        tunnel: Bool = false
    ) async throws -> (response: RelayClient.Response, requests: Int) {
        let proxy = try await proxy()
        defer { proxy.stop() }
        let haproxy = try await HAProxyWithTLS(
            leaf,
            clients: asksClients ? world.clients.own.certificate : nil,
            server: proxy.origin.port
        )
        let parent = try RelayParent(parsing: "https://localhost:\(haproxy.port)")
        let rule = "\(parent.origin)"
        let account = Account(name: "a", user: "jdoe", domain: nil, password: SharedSecret(utf8: "Correct-Horse"))
        let spare = [PositionedPin(Pin(hashing: [UInt8](arrayLiteral: 1).span))]
        let pins = world.pin.map {
            [PinPolicy.Entry(host: "localhost", pins: [PositionedPin($0)], backup: .pins(spare), expiry: nil)]
        }
        let identity = try world.identity.map { ClientIdentity(name: "laptop", certificateChain: [try $0.der]) }
        let current = CurrentHandler(
            try ChallengeHandler(
                profile: SecurityProfile(
                    sites: try .init(parsing: rule, name: "test"),
                    schemes: [.basic],
                    accounts: [.init(account, sites: [rule])],
                    identities: identity.map { [.init($0, sites: [rule])] } ?? [],
                    pins: pins ?? []
                ),
                at: 0
            )
        )
        var settings = TLSSettings.patient
        settings.roots = .systemAnd([try world.trusted.own.der])
        if let laptop = world.identity { settings.identityKeys["laptop"] = try laptop.source }
        let tls = try TLSConnector(settings, current)
        var response: RelayClient.Response?
        try await TestRelay.run(before: [parent], tls: tls, current: current) { relay in
            let client = try relay.connect()
            if tunnel {
                try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
                response = try client.readResponse(toHead: true)
            } else {
                response = try client.get("http://a.example/")
            }
        }
        return (try #require(response), proxy.requests.count)
    }

    @Test(
        "With an extra root and the right pin, requests and tunnels pass and are authenticated",
        arguments: [false, true]
    )
    func right(tunnel: Bool) async throws {
        var world = try World()
        let leaf = try world.root.leaf("localhost")
        world.pin = try leaf.pin
        let (response, requests) = try await Self.response(world, leaf, tunnel: tunnel)
        #expect(response.status == 200 && requests == 2)
    }

    @Test("With a wrong pin the parent gets no byte of a request, and the client learns why")
    func wrongPin() async throws {
        var world = try World()
        world.pin = try world.root.leaf("localhost").pin
        let (response, requests) = try await Self.response(world, world.root.leaf("localhost"))
        #expect(response.status == 502 && requests == 0)
        #expect(response.body.contains("pin"), "\(response.body)")
    }

    @Test("A parent of an unknown authority, or with another name, gets nothing", arguments: ["authority", "name"])
    func untrusted(what: String) async throws {
        var world = try World()
        if what == "authority" { world.trusted = world.clients }
        let leaf = try world.root.leaf(what == "name" ? "other.example" : "localhost")
        let (response, requests) = try await Self.response(world, leaf)
        #expect(response.status == 502 && requests == 0)
        #expect(response.body.hasPrefix("sallyport relay: https://localhost:"), "\(response.body)")
    }

    @Test("A parent that asks for a client certificate gets that of the profile, and takes no request without one")
    func clientCertificate() async throws {
        var world = try World()
        let leaf = try world.root.leaf("localhost")
        #expect(try await Self.response(world, leaf, asksClients: true).requests == 0)
        world.identity = try world.clients.leaf("x.example", changes: .init(uses: [.clientAuth]))
        let (response, requests) = try await Self.response(world, leaf, asksClients: true)
        #expect(response.status == 200 && requests == 2)
    }
}
