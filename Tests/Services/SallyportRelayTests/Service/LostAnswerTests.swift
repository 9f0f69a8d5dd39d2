import HTTPAuthentication
import Hostnames
import LiveServers
import NTLM
import Sallyport
import Testing
import WireFormat

@testable import ChallengeHandling
@testable import SallyportRelay

/// Parents and servers that take a password and lose the connection before a response.
///
/// The clock of the lock-out budget stands still in these tests, so a request that waits for a pause to end waits for ever.
@Suite(.inTurn) struct LostAnswerTests {
    private static let asks = "HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: Basic realm=x\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// How a connection is lost without a byte of a response.
    enum Loss: String, CaseIterable {
        case close, reset

        var reply: ScriptedServer.Reply { self == .close ? .close : .reset }
    }

    /// A parent that asks for Basic, loses the connections of answers to `/lost`, and lets the others pass.
    private static func parent(_ loss: ScriptedServer.Reply) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") != nil else { return .send(asks) }
            return request.target.hasPrefix("lost") || request.target.hasSuffix("/lost") ? loss : .send(ok)
        }
    }

    private static func answers(_ parent: ScriptedServer) -> Int {
        parent.requests.count { $0.field("Proxy-Authorization") != nil }
    }

    private static func connect(_ relay: TestRelay, _ host: String) throws -> RelayClient.Response {
        let client = try relay.connect()
        try client.send("CONNECT \(host):443 HTTP/1.1\r\nHost: \(host):443\r\n\r\n")
        return try client.readResponse(toConnect: true)
    }

    @Test(
        "The next request is sent at once; the one after two losses is refused at once, and learns how long",
        arguments: Loss.allCases
    )
    func lost(loss: Loss) async throws {
        let parent = try await Self.parent(loss.reply)
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            #expect(try relay.connect().get("http://a.example/lost").status == 502)
            #expect(try Self.connect(relay, "lost.example").status == 502)
            for response in [try relay.connect().get("http://a.example/"), try Self.connect(relay, "a.example")] {
                #expect(response.status == 503 && response.field("Retry-After") == "60")
                #expect(
                    response.body.contains("no response told whether it is right")
                        && response.body.contains("60 seconds")
                )
            }
        }
        #expect(Self.answers(parent) == 2)
    }

    @Test("After one loss the next request logs on, and then losses hold up nothing", arguments: Loss.allCases)
    func oneLoss(loss: Loss) async throws {
        let parent = try await Self.parent(loss.reply)
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            for _ in 0..<5 {
                let (lost, next) = (
                    try relay.connect().get("http://a.example/lost"), try relay.connect().get("http://a.example/")
                )
                #expect(lost.status == 502 && next.status == 200, "\(next)")
            }
        }
    }

    @Test("Requests that wait for a lost attempt go on at once, one after the other, and the rest is refused")
    func together() async throws {
        let parent = try await Self.parent(.close)
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try relay.connect().get("http://a.example/lost").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // An answer on a connection that was used before goes out once more, and learns then that it has to wait.
            #expect(statuses.allSatisfy { $0 == 502 || $0 == 503 } && statuses.count { $0 == 503 } >= 14, "\(statuses)")
        }
        #expect(Self.answers(parent) == 2)
    }

    @Test("The password of a domain is sent as often as the directory may count, in whatever way it is lost")
    func directory() async throws {
        let parent = try await ScriptedServer { request in
            guard let token = request.field("Proxy-Authorization") else {
                return .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: NTLM\r\n\r\n")
            }
            guard token.hasPrefix("NTLM TlRMTVNTUAAB") else { return .close }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: NTLMParent.domain))
            let challenge =
                (try? handshake.challenge(to: NTLMParent.message(in: token).span, now: NTLMParent.now)) ?? []
            let field = "NTLM \(Base64.encode(challenge.span))"
            return .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: \(field)\r\n\r\n")
        }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: NTLMParent.domain, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            for _ in 0..<2 { #expect(try relay.connect().get("http://a.example/").status == 502) }
            for _ in 0..<2 {
                let response = try relay.connect().get("http://a.example/")
                #expect(response.status == 503 && response.field("Retry-After") == "1800", "\(response)")
            }
        }
        // The last message of a handshake has the proof of the password; its type is in the ninth byte.
        let proofs = parent.requests.count { $0.field("Proxy-Authorization")?.hasPrefix("NTLM TlRMTVNTUAAD") == true }
        #expect(proofs == 2)
    }

    @Test("At a server behind a mapping the client learns the same", arguments: Loss.allCases)
    func mapped(loss: Loss) async throws {
        let mapped = try MappedServer()
        let server = try await ScriptedServer(tls: mapped.leaf.serverContext) { request in
            request.field("Authorization") == nil
                ? .send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n") : loss.reply
        }
        defer { server.stop() }
        let handler = try TestRelay.handler(server.origin, .basic, clock: ManualClock())
        try await mapped.run(server.origin, handler) { _, port in
            func get() throws -> RelayClient.Response {
                let client = try RelayClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                return try client.readResponse()
            }
            for _ in 0..<2 { #expect(try get().status == 502) }
            let response = try get()
            #expect(response.status == 503 && response.field("Retry-After") == "60", "\(response)")
        }
    }

    @Test(
        "A parent that closes with its challenge, without a word of it, gets the answer on another connection, and no loss counts",
        arguments: ["Basic realm=x", "NTLM"],
        ["GET", "CONNECT"]
    )
    func closesWithChallenge(challenge: String, method: String) async throws {
        let ok = method == "CONNECT" ? "HTTP/1.1 200 Yes\r\n\r\n" : Self.ok
        let parent = try await ScriptedServer { request in
            guard let token = request.field("Proxy-Authorization") else {
                let body = String(repeating: "n", count: 200)
                return .sendAndClose(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 200\r\n\r\n\(body)"
                )
            }
            guard token.hasPrefix("NTLM TlRMTVNTUAAB") else { return .send(ok) }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: NTLMParent.domain))
            let message =
                (try? handshake.challenge(to: NTLMParent.message(in: token).span, now: NTLMParent.now)) ?? []
            let field = "Proxy-Authenticate: NTLM \(Base64.encode(message.span))"
            return .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\(field)\r\n\r\n")
        }
        defer { parent.stop() }
        let scheme: AuthenticationScheme = challenge == "NTLM" ? .ntlm : .basic
        let handler = try TestRelay.handler(
            parent.origin,
            scheme,
            domain: NTLMParent.domain,
            clock: ManualClock()
        )
        try await TestRelay.run(before: parent.origin, handler) { relay in
            for number in 0..<4 {
                let response =
                    method == "CONNECT"
                    ? try Self.connect(relay, "a.example") : try relay.connect().get("http://a.example/")
                #expect(response.status == 200, "\(number): \(response)")
            }
        }
    }

    @Test("A connection that the parent closes as the request goes out costs the client nothing") func closedWhenIdle()
        async throws
    {
        let parent = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") != nil else { return .send(Self.asks) }
            // The third request of each connection: two messages, and then one that reuses it.
            return request.number >= 2 ? .close : .send(Self.ok)
        }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .basic, clock: ManualClock())
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let client = try relay.connect()
            for _ in 0..<8 { #expect(try client.get("http://a.example/").status == 200) }
        }
        #expect(parent.connections > 1)
    }
}
