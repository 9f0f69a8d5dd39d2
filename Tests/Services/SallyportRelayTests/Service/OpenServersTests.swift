import LiveServers
import NIOCore
import NIOPosix
import Sallyport
import Testing

@testable import SallyportRelay

/// A parent that asks for authentication for some servers, and lets requests for others pass.
@Suite(.inTurn) struct OpenServersTests {
    @Test("A body for a server behind the log-on waits for it, although another server was open before")
    func body() async throws {
        let parent = try await ScriptedServer { request in
            let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            if request.target.contains("open.example") { return .send(ok) }
            guard request.field("Proxy-Authorization") != nil else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
                return .send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n"
                )
            }
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send(ok)
        }
        defer { parent.stop() }
        var limits = RelayLimits()
        // The parent replies to the expectation, so the wait is not for the time.
        limits.continuing = .seconds(60)
        let handler = try TestRelay.handler(parent.origin, .digest)
        try await TestRelay.run(before: parent.origin, handler, limits: limits) { relay in
            let client = try relay.connect()
            #expect(try client.get("http://open.example/").body == "ok")
            try client.send("POST http://closed.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().body == "ok")
        }
        let bodies = parent.requests.filter { !$0.body.isEmpty }
        #expect(bodies.count == 1 && bodies[0].field("Proxy-Authorization") != nil)
    }

    @Test("A connection that a waiting request cannot use makes room for this request, and not for a later one")
    func waiting() async throws {
        let parent = try await ScriptedServer { request in
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { parent.stop() }
        var settings = RelaySettings(parents: parent.origin)
        settings.listeners = try ["127.0.0.1:0", "127.0.0.2:0"].map { try ListenAddress(parsing: $0) }
        settings.identities = [
            RelayIdentity(CurrentHandler(try TestRelay.noAccounts()), for: [.listener(settings.listeners[1])])
        ]
        settings.limits = settings.limits.patient
        settings.limits.parentConnections = 1
        settings.limits.grace = .milliseconds(100)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let relay = Relay(CurrentHandler(try TestRelay.noAccounts()), settings, group: group)
        let ports = try await relay.start().map { UInt16($0.port ?? 0) }
        func client(_ listener: Int) throws -> RelayClient {
            RelayClient(try ByteStream(to: "127.0.0.\(listener + 1)", port: ports[listener]))
        }
        // It has the only connection until its body is whole.
        let first = try client(0)
        try first.send("POST http://a.example/first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1")
        var others: [RelayClient] = []
        for (listener, name) in [(0, "body"), (1, "other"), (0, "a"), (0, "b"), (0, "c")] {
            if name != "body" {
                let other = try client(listener)
                try other.send("GET http://a.example/\(name) HTTP/1.1\r\nHost: a\r\n\r\n")
                others.append(other)
            }
            // Each is read before the next one comes.
            try await eventually("request \(name) is read") { await relay.counters().requests == others.count + 1 }
        }
        try first.send("2")
        #expect(try first.readResponse().body == "ok")
        for other in others { #expect(try other.readResponse().body == "ok") }
        await relay.stop()
        try await group.shutdownGracefully()
        let order = parent.requests.filter { $0.head.hasPrefix("GET") }.map(\.target)
        #expect(order == ["other", "a", "b", "c"].map { "http://a.example/\($0)" })
    }
}
