import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import Synchronization
import Testing

/// Ways that a chooser finds for each server.
@Suite(.inTurn) struct ChooserTests {
    /// Answers from a table, after a wait.
    private final class Table: ProxyChooser {
        let routes: [String: [RelayRoute]]
        let isKnown: Bool
        let wait: Duration
        let asked = Mutex<[String]>([])

        init(_ routes: [String: [RelayRoute]], isKnown: Bool = false, wait: Duration = .milliseconds(5)) {
            (self.routes, self.isKnown, self.wait) = (routes, isKnown, wait)
        }

        func known(for server: Origin) -> [RelayRoute]? { isKnown ? routes["\(server)"] : nil }

        func choices(for server: Origin) async throws -> [RelayRoute] {
            asked.withLock { $0.append("\(server)") }
            try await Task.sleep(for: wait)
            guard let found = routes["\(server)"] else { throw ProxyScriptError.failed(reason: "no route") }
            return found
        }
    }

    private static func named(_ name: String) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            let text = "\(name) \(request.target) \(request.body)"
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
    }

    @Test("Each server has its ways; a list is tried in its order, in the form of each way", arguments: [false, true])
    func lists(isKnown: Bool) async throws {
        let (a, b) = (try await Self.named("a"), try await Self.named("b"))
        defer { for each in [a, b] { each.stop() } }
        let gone = RelayParent(try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())"))
        let direct = "\(b.origin)"
        let table = Table(
            [
                "http://a.example": [.proxy(RelayParent(a.origin))],
                "http://b.example": [.proxy(gone), .proxy(RelayParent(b.origin)), .direct],
                direct: [.proxy(gone), .direct],
            ],
            isKnown: isKnown
        )
        try await TestRelay.run(before: [], chooser: table, destinations: TestRelay.loopback()) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://a.example/1").body == "a http://a.example/1 ")
            #expect(try client.get("http://b.example/2").body == "b http://b.example/2 ")
            try client.send("POST \(direct)/3 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().body == "b /3 hello")
            #expect(try client.get("http://a.example/4").body == "a http://a.example/4 ")
            let counters = await relay.relay.counters()
            #expect(counters.requests == 4 && counters.failovers >= 1)
        }
        #expect(table.asked.withLock { $0.isEmpty } == isKnown)
    }

    @Test("A body and a second request wait with the first one for the choice")
    func pipelined() async throws {
        let a = try await Self.named("a")
        defer { a.stop() }
        let table = Table(["http://a.example": [.proxy(RelayParent(a.origin))]], wait: .milliseconds(50))
        try await TestRelay.run(before: [], chooser: table, destinations: TestRelay.loopback()) { relay in
            let client = try relay.connect()
            try client.send(
                "POST http://a.example/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET http://a.example/2 HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            #expect(try client.readResponse().body == "a http://a.example/1 hello")
            #expect(try client.readResponse().body == "a http://a.example/2 ")
        }
    }

    @Test("A choice that fails, or takes too long, is the client's answer; HEAD gets no body")
    func failures() async throws {
        try await TestRelay.run(before: [], chooser: Table([:])) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502 && response.body.contains("the proxy script: the call"), "\(response.body)")
            let client = try relay.connect()
            try client.send("HEAD http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 502)
            #expect(try client.readToEnd().isEmpty)
        }
        var limits = RelayLimits()
        limits.choosing = .milliseconds(100)
        limits.idleParent = .milliseconds(100)
        try await TestRelay.run(before: [], chooser: Table([:], wait: .seconds(600)), limits: limits) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502 && response.body.contains("takes too long"))
            // A client that is gone, and a relay that ends, do not wait either.
            let client = try relay.connect()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
        }
    }

    @Test("A proxy that only the chooser names gets no password")
    func noCredentials() async throws {
        let proxy = try await ScriptedServer { _ in
            .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
        }
        defer { proxy.stop() }
        let handler = try TestRelay.handler(try Origin(parsing: "http://proxy.corp.example:8080"), .basic)
        let table = Table(["http://a.example": [.proxy(RelayParent(proxy.origin))]])
        try await TestRelay.run(before: [], chooser: table, handler, destinations: TestRelay.loopback()) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502)
        }
        #expect(proxy.requests.allSatisfy { $0.field("Proxy-Authorization") == nil } && proxy.requests.count == 1)
    }
}
