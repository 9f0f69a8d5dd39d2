import Hostnames
import LiveServers
import NIOCore
import NTLM
import Sallyport
import SallyportRelay
import Synchronization
import Testing
import WireFormat

/// Challenges whose body cannot be read to its end: it is too long, is malformed, or does not end.
@Suite(.inTurn) struct LongRefusalTests {
    private static let long = RelayLimits().drainedBytes + 1
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// The bodies of a challenge, each with its fields.
    enum Body: String, CaseIterable {
        case announced, chunks, untilClose, malformedChunk, cut, withoutEnd

        /// The challenge with this body.
        func reply(_ head: String) -> ScriptedServer.Reply {
            let text = String(repeating: "n", count: LongRefusalTests.long)
            return switch self {
            case .announced: .send("\(head)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            case .chunks:
                .send(
                    "\(head)Transfer-Encoding: chunked\r\n\r\n\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n0\r\n\r\n"
                )
            case .untilClose: .sendAndClose("\(head)\r\n\(text)")
            case .malformedChunk: .send("\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\nno size\r\n")
            case .cut: .sendAndClose("\(head)Content-Length: 50\r\n\r\nno")
            case .withoutEnd: .send("\(head)Content-Length: 50\r\n\r\nno")
            }
        }
    }

    private static func asks(_ challenge: String, _ body: Body) -> ScriptedServer.Reply {
        body.reply("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: \(challenge)\r\n")
    }

    private static var limits: RelayLimits {
        var limits = RelayLimits()
        // Only a body without an end needs it, and no other test waits for it.
        limits.handshake = .milliseconds(50)
        return limits
    }

    @Test("The request goes on with another connection, by GET and by CONNECT", arguments: Body.allCases)
    func basic(body: Body) async throws {
        let parent = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") == nil else {
                return .send(request.head.hasPrefix("CONNECT") ? "HTTP/1.1 200 Yes\r\n\r\n" : Self.ok)
            }
            return Self.asks("Basic realm=x", body)
        }
        defer { parent.stop() }
        var limits = RelayLimits()
        if body == .withoutEnd { limits = Self.limits }
        try await TestRelay.run(before: parent.origin, TestRelay.handler(parent.origin, .basic), limits: limits) {
            relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 200 && response.body == "ok")
            let client = try relay.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            #expect(await relay.relay.counters().badLogOns == 0)
        }
    }

    @Test(
        "A handshake whose challenge has such a body begins anew once, and then says so",
        arguments: [Body.announced, .chunks, .withoutEnd]
    )
    func ntlm(body: Body) async throws {
        let parent = try await ScriptedServer { request in
            guard let token = request.field("Proxy-Authorization") else { return Self.asks("NTLM", .cut) }
            var handshake = ServerHandshake(options: .init(computerName: "TEST", domainName: NTLMParent.domain))
            let challenge =
                (try? handshake.challenge(to: NTLMParent.message(in: token).span, now: NTLMParent.now)) ?? []
            return Self.asks("NTLM \(Base64.encode(challenge.span))", body)
        }
        defer { parent.stop() }
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: NTLMParent.domain)
        let limits = body == .withoutEnd ? Self.limits : RelayLimits()
        try await TestRelay.run(before: parent.origin, handler, limits: limits) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502, "\(response)")
            let words = "\(parent.origin): the response with the challenge does not end within"
            #expect(response.body.contains(words), "\(response.body)")
            #expect(await relay.relay.counters().badLogOns == 0)
        }
        // The last message of a handshake has the proof of the password.
        #expect(!parent.requests.contains { $0.field("Proxy-Authorization")?.hasPrefix("NTLM TlRMTVNTUAAD") == true })
    }

    @Test(
        "A connection whose long body was refused unread carries no other request, also if nothing answers the challenge"
    )
    func unreadBody() async throws {
        let parent = try await ScriptedServer { request in
            guard request.head.hasPrefix("POST") else { return .send(Self.ok) }
            // So that the whole body has gone out before the challenge.
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        }
        defer { parent.stop() }
        // The profile allows NTLM alone.
        let handler = try TestRelay.handler(parent.origin, .ntlm, domain: NTLMParent.domain)
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let body = String(repeating: "b", count: 4_097)
            let client = try relay.connect()
            try client.send(
                "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            #expect(try client.readResponse().status == 502)
            #expect(try relay.connect().get("http://a.example/").body == "ok")
        }
        #expect(parent.requests.map(\.connection) == [0, 1])
    }

    @Test("--check says the same as of a short one", arguments: [Body.announced, .chunks, .malformedChunk, .cut])
    func check(body: Body) async throws {
        let parent = try await ScriptedServer { request in
            request.field("Proxy-Authorization") == nil ? Self.asks("Basic realm=x", body) : .send(Self.ok)
        }
        defer { parent.stop() }
        var settings = RelaySettings(parents: parent.origin)
        settings.limits = settings.limits.patient
        let current = CurrentHandler(try TestRelay.handler(parent.origin, .basic))
        let authenticator = try Authenticator(current, prompt: nil, store: nil, options: AuthenticatorOptions())
        let findings = Mutex<[String]>([])
        let isGood = try await RelayCheck(authenticator, settings).run(try Origin(parsing: "http://a.example")) {
            finding in
            findings.withLock { $0.append("\(finding.step.rawValue) \(finding.isGood)") }
        }
        #expect(isGood)
        let found = findings.withLock { $0 }
        #expect(found == ["connect true", "offers true", "account true", "log-on true", "request true"], "\(found)")
    }
}
