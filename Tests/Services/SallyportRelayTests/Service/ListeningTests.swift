import AllowedSites
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import Testing

/// Where a relay listens, and how it begins and ends.
@Suite(.inTurn) struct ListeningTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func relay(_ parent: Origin, _ listeners: [String]) throws -> Relay {
        var settings = RelaySettings(parents: parent)
        settings.listeners = try listeners.map { try ListenAddress(parsing: $0) }
        settings.limits = settings.limits.patient
        settings.limits.grace = .milliseconds(100)
        return Relay(CurrentHandler(try TestRelay.noAccounts()), settings)
    }

    @Test("Each address is served, also of IPv6; a second start is the first")
    func several() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        // The system may give a port of its own to another test once the relay has stopped.
        let port = try ServerPort.take()
        let relay = try Self.relay(parent.origin, ["127.0.0.1:\(port)", "127.0.0.2:0", "[::1]:0"])
        let addresses = try await relay.start()
        #expect(addresses.map(\.ipAddress) == ["127.0.0.1", "127.0.0.2", "::1"])
        #expect(try await relay.start() == addresses)
        for address in addresses {
            let client = RelayClient(try ByteStream(to: "\(address.ipAddress ?? "")", port: UInt16(address.port ?? 0)))
            #expect(try client.get("http://a.example/").body == "ok")
        }
        await relay.stop()
        #expect(addresses[0].port == Int(port))
        try await ServerPort.waitUntilClosed(port)
    }

    @Test("An address that other machines reach is refused before anything listens")
    func notLoopback() async throws {
        let relay = try Self.relay(try Origin(parsing: "http://127.0.0.1:1"), ["127.0.0.1:0", "0.0.0.0:0"])
        let other = try ListenAddress(parsing: "0.0.0.0:0")
        await #expect(throws: RelayError.notLoopback(other)) {
            try await relay.start()
        }
        let none = try Self.relay(try Origin(parsing: "http://127.0.0.1:1"), [])
        await #expect(throws: RelayError.noListener) { try await none.start() }
    }

    @Test(
        "Beyond loopback only the clients of a list are served",
        arguments: ["10.0.0.0/8", "127.0.0.1", "127.0.0.0/8,10.1.2.3"]
    )
    func clients(list: String) async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        var settings = RelaySettings(parents: parent.origin)
        // The last one is for IPv4, too: addresses of IPv4 come as such of IPv6.
        settings.listeners = try ["0.0.0.0:0", "127.0.0.1:0", "[::]:0"].map { try ListenAddress(parsing: $0) }
        settings.clients = SiteTrie(compiling: try SiteDialect.noProxy.read(list, name: "test").list)
        settings.limits = settings.limits.patient
        settings.limits.grace = .milliseconds(100)
        let relay = Relay(CurrentHandler(try TestRelay.noAccounts()), settings)
        let ports = try await relay.start().map { UInt16($0.port ?? 0) }
        for beyond in [try RelayClient(port: ports[0]), try RelayClient(port: ports[2])] {
            if list.hasPrefix("127") {
                #expect(try beyond.get("http://a.example/").body == "ok")
            } else {
                #expect(beyond.isTurnedAway())
            }
        }
        #expect(try RelayClient(port: ports[1]).get("http://a.example/").body == "ok")
        await relay.stop()
        #expect(parent.requests.count == (list.hasPrefix("127") ? 3 : 1))
    }

    @Test("A port that is taken is named")
    func taken() async throws {
        let parent = try await ScriptedServer { _ in .send(Self.ok) }
        defer { parent.stop() }
        let taken = "127.0.0.1:\(parent.origin.port)"
        let relay = try Self.relay(parent.origin, ["127.0.0.1:0", taken])
        let error = await #expect(throws: RelayError.self) { try await relay.start() }
        #expect("\(try #require(error))".hasPrefix("\(taken): cannot listen ("))
    }

    @Test("A new profile drops no connection: the tunnel goes on, and the next request has the new account")
    func reload() async throws {
        let answer = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
        let parent = try await ScriptedServer { request in
            if request.head.hasPrefix("ping") { return .send("pong") }
            guard let field = request.field("Proxy-Authorization") else { return .send(answer) }
            return .send(
                request.head.hasPrefix("CONNECT")
                    ? "HTTP/1.1 200 Yes\r\n\r\n"
                    : "\(Self.ok.dropLast(2))".replacing(": 2", with: ": \(field.utf8.count)") + field
            )
        }
        defer { parent.stop() }
        let current = CurrentHandler(try TestRelay.handler(parent.origin, .basic))
        var settings = RelaySettings(parents: parent.origin)
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        settings.limits = settings.limits.patient
        settings.limits.grace = .milliseconds(100)
        let relay = Relay(current, settings)
        let port = UInt16(try await relay.start()[0].port ?? 0)
        let (tunnel, client) = (try RelayClient(port: port), try RelayClient(port: port))
        try tunnel.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try tunnel.readHead().status == 200)
        // "jdoe:Correct-Horse" and "ada:Other".
        #expect(try client.get("http://a.example/").body == "Basic amRvZTpDb3JyZWN0LUhvcnNl")
        current.replace(with: try TestRelay.handler(parent.origin, .basic, user: "ada", password: "Other").compiled)
        relay.closeIdleConnections()
        #expect(try client.get("http://a.example/").body == "Basic YWRhOk90aGVy")
        try tunnel.send("ping\r\n\r\n")
        #expect(try tunnel.stream.read(count: 4) == Array("pong".utf8))
        await relay.stop()
    }
}
