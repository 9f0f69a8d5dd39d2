import AllowedSites
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import Testing

@testable import SallyportRelay

/// Several parents, servers without a parent, and destinations that are not served.
@Suite(.inTurn) struct UpstreamTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func named(_ name: String) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            if request.head.hasPrefix("CONNECT") { return .send("HTTP/1.1 200 Yes\r\n\r\n") }
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(name.utf8.count)\r\n\r\n\(name)")
        }
    }

    /// A port on which nothing listens.
    private static func nowhere() throws -> Origin { try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())") }

    private static func rules(direct: String = "", allowed: String = "") throws -> DestinationRules {
        var rules = DestinationRules()
        rules.direct = SiteTrie(compiling: try SiteDialect.noProxy.read(direct, name: "direct").list)
        rules.allowed = SiteTrie(compiling: try SiteDialect.noProxy.read(allowed, name: "allowed").list)
        return rules
    }

    // MARK: NTLM of clients with servers (RFC 4559 section 6)

    @Test("Without a parent the relay says that it keeps connections apart; the word of a parent is passed on")
    func sessions() async throws {
        let support = "Proxy-Support: Session-Based-Authentication\r\n"
        func server(_ fields: String) async throws -> ScriptedServer {
            try await ScriptedServer { request in
                .send(
                    "HTTP/1.1 \(request.target.hasSuffix("open") ? 200 : 401) X\r\nContent-Length: 0\r\n\(fields)\r\n"
                )
            }
        }
        func head(_ relay: TestRelay, _ url: String) throws -> String {
            let client = try relay.connect()
            try client.send("GET \(url) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return String(decoding: try client.readToEnd(), as: UTF8.self)
        }
        for (fields, isPassed) in [
            ("WWW-Authenticate: NTLM\r\n", false), ("WWW-Authenticate: NTLM\r\n" + support, true),
        ] {
            let (parent, origin) = (try await server(fields), try await server(fields))
            defer { for each in [parent, origin] { each.stop() } }
            let rules = try Self.rules(direct: "127.0.0.0/8", allowed: "127.0.0.0/8")
            try await TestRelay.run(before: parent.origin, destinations: rules) { relay in
                #expect(try head(relay, "http://a.example/").contains(support) == isPassed)
                let direct = try head(relay, "\(origin.origin)/")
                #expect(direct.ranges(of: support).count == 1)
                #expect(try head(relay, "\(origin.origin)/open").contains(support) == isPassed)
            }
        }
    }

    @Test("A client's log-on goes over a connection that no other request has used", arguments: [false, true])
    func logOn(isDirect: Bool) async throws {
        let server = try await ScriptedServer { request in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(request.connection)")
        }
        defer { server.stop() }
        let rules = try Self.rules(direct: isDirect ? "127.0.0.0/8" : "", allowed: "127.0.0.0/8")
        // Its clients share their connections.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await TestRelay.run(before: server.origin, destinations: rules, group: group) { relay in
            let (own, other, url) = (try relay.connect(), try relay.connect(), "\(server.origin)/")
            #expect(try other.get(url).body == "0")
            for message in ["TlRMTVNTUAAB", "TlRMTVNTUAAD"] {
                #expect(try own.get(url, ["Authorization: NTLM \(message)"]).body == "1")
            }
            #expect(try other.get(url).body == "0")
        }
        try await group.shutdownGracefully()
    }

    // MARK: Without a parent

    @Test("What needs no proxy is reached directly, in origin form; the rest goes to the parent")
    func direct() async throws {
        let (parent, server) = (try await Self.named("parent"), try await Self.named("server"))
        defer { for each in [parent, server] { each.stop() } }
        let rules = try Self.rules(direct: "127.0.0.0/8", allowed: "127.0.0.0/8")
        try await TestRelay.run(before: parent.origin, destinations: rules) { relay in
            let client = try relay.connect()
            for target in ["/a?b", "", "?q"] {
                let response = try client.get(
                    "\(server.origin)\(target)",
                    ["X-Kept: 1", "Proxy-Authorization: Basic eDp5"]
                )
                #expect(response.body == "server")
            }
            try client.send("OPTIONS \(server.origin) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            try client.send("POST \(server.origin)/p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().status == 200)
            #expect(try client.get("http://a.example/").body == "parent")
            try client.send("CONNECT \(server.origin.host):\(server.origin.port) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            try client.send("GET /inside HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().body == "server")
        }
        #expect(server.requests.map(\.target) == ["/a?b", "/", "/?q", "*", "/p", "/inside"])
        #expect(server.requests.first?.field("Host") == "127.0.0.1:\(server.origin.port)")
        #expect(server.requests.first?.field("X-Kept") == "1")
        #expect(server.requests.allSatisfy { $0.field("Proxy-Authorization") == nil })
        #expect(server.requests[4].body == "hello")
        // The requests of one client, and its tunnel.
        #expect(server.connections == 2)
        #expect(parent.requests.map(\.target) == ["http://a.example/"])
    }

    @Test("A server that is reached directly and cannot be reached is named")
    func directUnreachable() async throws {
        let parent = try await Self.named("parent")
        defer { parent.stop() }
        let gone = try Self.nowhere()
        let rules = try Self.rules(direct: "127.0.0.0/8,no-such.invalid", allowed: "127.0.0.0/8")
        try await TestRelay.run(before: parent.origin, destinations: rules) { relay in
            let response = try relay.connect().get("\(gone)/")
            #expect(response.status == 502 && response.body.hasPrefix("sallyport relay: \(gone): no connection: "))
            let unknown = try relay.connect().get("http://no-such.invalid/")
            #expect(unknown.status == 502 && unknown.body.contains("the name cannot be resolved"))
            let client = try relay.connect()
            try client.send("CONNECT \(gone.host):\(gone.port) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().status == 502)
        }
        #expect(parent.requests.isEmpty)
    }

    // MARK: What is not served

    @Test(
        "What the rules forbid is not served, in any form",
        arguments: ["127.0.0.1", "169.254.169.254", "LOCALHOST", "a.localhost", "[::1]", "[::ffff:127.0.0.1]"]
    )
    func forbidden(host: String) async throws {
        let parent = try await Self.named("parent")
        defer { parent.stop() }
        // A mapped address has two readings, and is no host at all.
        let status = host == "[::ffff:127.0.0.1]" ? 400 : 403
        // Also where no parent is needed.
        for direct in ["", "127.0.0.0/8,localhost,::/0"] {
            try await TestRelay.run(before: parent.origin, destinations: try Self.rules(direct: direct)) { relay in
                let response = try relay.connect().get("http://\(host)/")
                #expect(response.status == status)
                let client = try relay.connect()
                try client.send("CONNECT \(host):443 HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readHead().status == status)
            }
        }
        #expect(parent.requests.isEmpty)
    }

    @Test(
        "Other addresses are served, and special ones that are allowed",
        arguments: ["10.0.0.1", "[2001:db8::1]", "notlocalhost", "[::1]"]
    )
    func served(host: String) async throws {
        let parent = try await Self.named("parent")
        defer { parent.stop() }
        try await TestRelay.run(before: parent.origin, destinations: try Self.rules(allowed: "::1")) { relay in
            let response = try relay.connect().get("http://\(host)/")
            #expect(response.body == "parent")
        }
    }

    @Test("A name must not lead to a special address: it is looked up, and what is not served is left out")
    func resolved() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let strict = FilteringResolver(DestinationRules(), scheme: .http, on: eventLoop)
        await #expect(throws: (any Error).self) { try await strict.initiateAQuery(host: "localhost", port: 80).get() }
        let rules = try Self.rules(allowed: "127.0.0.0/8")
        let open = FilteringResolver(rules, scheme: .http, on: eventLoop)
        let found = try await open.initiateAQuery(host: "localhost", port: 80).get()
        #expect(found.map(\.ipAddress) == ["127.0.0.1"])
        // The name is allowed here, and its addresses are not.
        let parent = try await Self.named("parent")
        defer { parent.stop() }
        let named = try Self.rules(direct: "localhost", allowed: "localhost")
        try await TestRelay.run(before: parent.origin, destinations: named) { relay in
            let response = try relay.connect().get("http://localhost:\(parent.origin.port)/")
            #expect(response.status == 403)
        }
        #expect(parent.connections == 0)
    }

    // MARK: Several parents

    @Test("A parent that cannot be reached is left out, also for a request with a body, and used again when it is back")
    func failover() async throws {
        let second = try await Self.named("second")
        defer { second.stop() }
        let gone = try Self.nowhere()
        try await TestRelay.run(before: gone, and: second.origin) { relay in
            let client = try relay.connect()
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().body == "second")
            for _ in 0..<3 { #expect(try client.get("http://a.example/").body == "second") }
            var counters = await relay.relay.counters()
            #expect(counters.failovers == 1)
            #expect(relay.relay.parentsInUse() == [false, true])
            let first = try await ScriptedServer(port: Int(gone.port)) { _ in .send(Self.ok) }
            defer { first.stop() }
            // No request finds out that it is back.
            try await eventually("the first parent is in use again") { relay.relay.parentsInUse() == [true, true] }
            #expect(try client.get("http://a.example/").body == "ok")
            counters = await relay.relay.counters()
            #expect(counters.failovers == 1)
        }
        #expect(second.requests.contains { $0.body == "hello" })
    }

    @Test("A tunnel fails over, too; if no parent can be reached, the last one is named")
    func none() async throws {
        let second = try await Self.named("second")
        let (gone, origin) = (try Self.nowhere(), second.origin)
        try await TestRelay.run(before: gone, and: origin) { relay in
            let client = try relay.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            try await second.stopForGood()
            relay.relay.closeIdleConnections()
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502)
            #expect(response.body.contains("no connection: "))
        }
    }

    @Test("A password that one parent refuses is not tried at the next one")
    func refusedOnce() async throws {
        let asks = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
        let (first, second) = (try await ScriptedServer { _ in .send(asks) }, try await Self.named("second"))
        defer { for each in [first, second] { each.stop() } }
        try await TestRelay.run(before: first.origin, and: second.origin, TestRelay.handler(first.origin, .basic)) {
            relay in
            for _ in 0..<2 {
                let response = try relay.connect().get("http://a.example/")
                #expect(response.status == 502)
            }
        }
        #expect(first.requests.filter { $0.field("Proxy-Authorization") != nil }.count == 1)
        #expect(second.connections == 0)
    }

    @Test("No more connections to one parent than the limit: the next tunnel waits for the end of one")
    func limit() async throws {
        let parent = try await Self.named("parent")
        defer { parent.stop() }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var limits = RelayLimits()
        limits.parentConnections = 2
        try await TestRelay.run(before: parent.origin, limits: limits, group: group) { relay in
            var clients: [RelayClient] = []
            for _ in 0..<3 {
                let client = try relay.connect()
                try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
                clients.append(client)
            }
            for client in clients.prefix(2) { #expect(try client.readHead().status == 200) }
            let counters = await relay.relay.counters()
            #expect(counters.openTunnels == 2 && counters.openParentConnections == 2 && parent.connections == 2)
            clients.removeFirst()
            #expect(try clients[1].readHead().status == 200)
            #expect(parent.connections == 3)
        }
        try await group.shutdownGracefully()
    }
}
