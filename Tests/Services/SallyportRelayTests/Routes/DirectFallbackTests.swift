import AllowedSites
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportNIO
import SallyportRelay
import Testing

/// Requests while no parent can be reached.
@Suite(.inTurn) struct DirectFallbackTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func settings(_ parents: [String], fallsBack: Bool = true) throws -> RelaySettings {
        var settings = RelaySettings()
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        settings.parents = try parents.map { try RelayParent(parsing: $0) }
        settings.destinations = try TestRelay.loopback()
        settings.fallsBackToDirect = fallsBack
        return settings
    }

    @Test(
        "Parents that take no connection, also those whose names are not known, are passed by: requests in the form for servers, and tunnels",
        arguments: [["http://127.0.0.1:PORT"], ["http://parent.invalid:1", "socks5://127.0.0.1:PORT"]]
    )
    func unreachable(parents: [String]) async throws {
        let server = try await ScriptedServer { request in
            request.head.hasPrefix("ping") ? .send("pong") : .send(Self.ok)
        }
        defer { server.stop() }
        let closed = try ServerPort.take()
        let settings = try Self.settings(parents.map { $0.replacing("PORT", with: "\(closed)") })
        try await TestRelay.run(settings) { relay, ports in
            let client = try RelayClient(port: ports[0])
            // The first request finds out; the next ones know it.
            for number in 0..<2 { #expect(try client.get("\(server.origin)/\(number)").body == "ok") }
            try client.send("CONNECT 127.0.0.1:\(server.origin.port) HTTP/1.1\r\nHost: a\r\n\r\nping\r\n\r\n")
            #expect(try client.readHead().status == 200)
            #expect(try client.stream.read(count: 4) == Array("pong".utf8))
            let counters = await relay.counters()
            #expect(counters.directFallbacks == 3 && counters.refusals == 0)
        }
        #expect(server.requests.prefix(2).map(\.target) == ["/0", "/1"])
        #expect(server.requests[0].field("Host") == "127.0.0.1:\(server.origin.port)")
    }

    @Test("Off by default; a refusal of the parent, and a bad certificate, are never passed by")
    func refusals() async throws {
        let server = try await ScriptedServer { _ in .send(Self.ok) }
        let parent = try await ScriptedServer { _ in .send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") }
        // Nobody trusts its authority.
        let secure = try await ScriptedServer(tls: MappedServer().leaf.serverContext) { _ in .send(Self.ok) }
        defer { for each in [server, parent, secure] { each.stop() } }
        let closed = try ServerPort.take()
        for (place, status, fallsBack) in [
            ("http://127.0.0.1:\(closed)", 502, false), ("\(parent.origin)", 503, true),
            ("\(secure.origin)", 502, true),
            // It speaks no SOCKS.
            ("socks5://127.0.0.1:\(parent.origin.port)", 502, true),
        ] {
            var settings = try Self.settings([place], fallsBack: fallsBack)
            // The last one does not answer.
            if place.hasPrefix("socks5") { settings.limits.handshake = .milliseconds(100) }
            let tls = try MappedServer().tls(CurrentHandler(try TestRelay.noAccounts()))
            try await TestRelay.run(settings, tls: tls) { relay, ports in
                // The second request meets a parent that rests.
                for _ in 0..<2 {
                    let found = try RelayClient(port: ports[0]).get("\(server.origin)/").status
                    #expect(found == status, "\(place)")
                }
                #expect(await relay.counters().directFallbacks == 0)
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("The server behind a mapped listener is reached, too, and what cannot be reached at all is 502")
    func mapped() async throws {
        let mapped = try MappedServer()
        let server = try await ScriptedServer(tls: mapped.leaf.serverContext) { _ in .send(Self.ok) }
        defer { server.stop() }
        let closed = try ServerPort.take()
        var settings = try Self.settings(["http://127.0.0.1:\(closed)"])
        settings.mappings = [RelayMapping(try ListenAddress(parsing: "127.0.0.1:0"), to: server.origin)]
        let tls = try mapped.tls(CurrentHandler(try TestRelay.noAccounts()))
        try await TestRelay.run(settings, tls: tls) { relay, ports in
            #expect(try RelayClient(port: ports[1]).ask("/", host: "127.0.0.1").body == "ok")
            let nowhere = try RelayClient(port: ports[0]).get("http://127.0.0.1:\(closed)/")
            #expect(nowhere.status == 502 && nowhere.body.contains("no connection"), "\(nowhere.body)")
            #expect(await relay.counters().directFallbacks == 2)
        }
    }
}
