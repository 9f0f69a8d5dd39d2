import AllowedSites
import ClientAuthentication
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import Testing

/// Addresses whose connections lead to one server.
@Suite(.inTurn) struct FixedTunnelTests {
    private static func settings(_ tunnel: String, _ parent: Origin) throws -> RelaySettings {
        var settings = RelaySettings(parents: parent)
        settings.listeners = []
        settings.tunnels = [try RelayTunnel(parsing: tunnel)]
        return settings
    }

    @Test("A connection is a CONNECT of its own, which is authenticated; the server may speak first")
    func carried() async throws {
        let parent = try await ScriptedServer { request in
            if request.head.hasPrefix("ping") { return .send("pong") }
            guard request.field("Proxy-Authorization") != nil else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            return .send("HTTP/1.1 200 Yes\r\n\r\nready\r\n")
        }
        defer { parent.stop() }
        let settings = try Self.settings("0=DB.corp.example:5432", parent.origin)
        try await TestRelay.run(settings, TestRelay.handler(parent.origin, .basic)) { relay, ports in
            for _ in 0..<2 {
                let stream = try ByteStream(port: ports[0])
                #expect(try stream.readLine() == "ready\r")
                try stream.send(Array("ping\r\n\r\n".utf8))
                #expect(try stream.read(count: 4) == Array("pong".utf8))
            }
            #expect(await relay.counters().tunnels == 2)
        }
        let tunnels = parent.requests.filter { $0.head.hasPrefix("CONNECT") }
        #expect(tunnels.allSatisfy { $0.target == "db.corp.example:5432" && $0.field("Host") == $0.target })
    }

    @Test(
        "A parent that opens no tunnel, or cannot be reached, ends the connection without a byte",
        arguments: [true, false]
    )
    func refused(isReached: Bool) async throws {
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nnope") }
        defer { parent.stop() }
        if !isReached { try await parent.stopForGood() }
        try await TestRelay.run(Self.settings("0=db.example:5432", parent.origin)) { relay, ports in
            let client = RelayClient(try ByteStream(port: ports[0]))
            #expect(try client.readToEnd().isEmpty)
            #expect(await relay.counters().refusals == 1)
        }
    }

    @Test("The server is reached directly where the routes say so, also on loopback, because the settings name it")
    func direct() async throws {
        let server = try await ScriptedServer { _ in .send("pong") }
        defer { server.stop() }
        var settings = try Self.settings("0=127.0.0.1:\(server.origin.port)", Origin(parsing: "http://127.0.0.1:1"))
        settings.destinations.direct = SiteTrie(
            compiling: try SiteDialect.noProxy.read("127.0.0.1", name: "test").list
        )
        try await TestRelay.run(settings) { _, ports in
            let stream = try ByteStream(port: ports[0])
            try stream.send(Array("ping\r\n\r\n".utf8))
            #expect(try stream.read(count: 4) == Array("pong".utf8))
        }
    }

    @Test("The rules of other listeners hold: loopback alone, or the clients of a list; no log-on is passed by")
    func start() async throws {
        let parent = try Origin(parsing: "http://127.0.0.1:1")
        func error(_ tunnel: String, _ change: (inout RelaySettings) -> Void = { _ in }) async throws -> RelayError? {
            var settings = try Self.settings(tunnel, parent)
            change(&settings)
            do { try await TestRelay.run(settings) { _, _ in } } catch let error as RelayError { return error }
            return nil
        }
        let (near, far) = (try ListenAddress(parsing: "127.0.0.1:0"), try ListenAddress(parsing: "0.0.0.0:0"))
        #expect(try await error("0.0.0.0:0=a.example:1") == .notLoopback(far))
        let list = SiteTrie(compiling: try SiteDialect.noProxy.read("10.0.0.0/8", name: "test").list)
        #expect(try await error("0.0.0.0:0=a.example:1") { $0.clients = list } == nil)
        let accounts = ClientAccounts(
            ClientAuthenticationOptions(party: .proxy, realm: "relay"),
            directory: FixedDirectory([:])
        )
        #expect(try await error("0=a.example:1") { $0.clientAccounts = accounts } == .noLogOn(near, .opaque))
        let secure = try ListenAddress(parsing: "https://127.0.0.1:0")
        #expect(try await error("https://127.0.0.1:0=a.example:1") == .secureTunnel(secure))
        #expect(try await error("0=a.example:1") { $0.parents = [] } == .noParent)
    }

    @Test("The text of a tunnel") func parsing() throws {
        let tunnel = try RelayTunnel(parsing: "[::1]:1=[2001:DB8::1]:5432")
        #expect("\(tunnel)" == "[::1]:1=[2001:db8::1]:5432")
        let short = try RelayTunnel(parsing: "5432=db:5432")
        #expect("\(short)" == "127.0.0.1:5432=db:5432")
        #expect(throws: RelayTunnelError.noEquals("5432")) { try RelayTunnel(parsing: "5432") }
        #expect(throws: RelayTunnelError.noPort("db.example")) { try RelayTunnel(parsing: "1=db.example") }
        #expect(throws: RelayTunnelError.listener(.noPort("x"))) { try RelayTunnel(parsing: "x=db:1") }
        for text in [
            "1=db.example:0", "1=db.example:65536", "1=user@db.example:1", "1=http://db:1", "1=", "70000=db:1",
        ] {
            #expect(throws: RelayTunnelError.self, "\(text)") { try RelayTunnel(parsing: text) }
        }
    }
}
