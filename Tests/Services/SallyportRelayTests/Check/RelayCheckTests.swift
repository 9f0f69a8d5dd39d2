import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportNIO
import SallyportRelay
import Synchronization
import Testing

/// What a check says of parents that work and of parents that do not.
@Suite(.inTurn) struct RelayCheckTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    private static let asks = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
    /// "jdoe:Correct-Horse".
    private static let answer = "Basic amRvZTpDb3JyZWN0LUhvcnNl"
    private static let origin = "http://a.example"

    /// The findings as `step yes` or `step no: text`.
    private static func findings(
        _ parent: Origin,
        _ handler: ChallengeHandler? = nil,
        to url: String = origin,
        trusting root: TestAuthority? = nil,
        limit: TimeAmount = .minutes(5)
    ) async throws -> [String] {
        let current = CurrentHandler(try handler ?? TestRelay.noAccounts())
        var tls: TLSConnector?
        if let root {
            var settings = TLSSettings.patient
            settings.roots = .certificates([try root.own.der])
            tls = try TLSConnector(settings, current)
        }
        var settings = RelaySettings(parents: parent)
        settings.limits = settings.limits.patient
        settings.limits.connecting = limit
        let check = RelayCheck(try Authenticator(current), settings, tls: tls)
        let findings = Mutex<[String]>([])
        let isGood = try await check.run(try Origin(parsing: url), path: "/page") { finding in
            findings.withLock {
                $0.append("\(finding.step.rawValue) \(finding.isGood ? "yes" : "no: \(finding.text)")")
            }
        }
        let all = findings.withLock { $0 }
        #expect(isGood == all.allSatisfy { $0.hasSuffix(" yes") })
        return all
    }

    private static func parent(
        tls root: TestAuthority? = nil,
        _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) async throws -> ScriptedServer {
        try await ScriptedServer(tls: try root?.leaf("localhost").serverContext, reply)
    }

    @Test("All is well, with and without a password")
    func good() async throws {
        let open = try await Self.parent { _ in .send(Self.ok) }
        defer { open.stop() }
        #expect(try await Self.findings(open.origin) == ["connect yes", "offers yes", "request yes"])
        #expect(open.requests.map(\.target) == ["http://a.example/page", "http://a.example/page"])
        let basic = try await Self.parent {
            $0.field("Proxy-Authorization") == Self.answer ? .send(Self.ok) : .send(Self.asks)
        }
        defer { basic.stop() }
        let found = try await Self.findings(basic.origin, TestRelay.handler(basic.origin, .basic))
        #expect(found == ["connect yes", "offers yes", "account yes", "log-on yes", "request yes"])
    }

    @Test("A tunnel, and TLS to the parent")
    func secure() async throws {
        let root = try TestAuthority("Root")
        let parent = try await Self.parent(tls: root) { request in
            request.head.hasPrefix("CONNECT") ? .send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n") : .send(Self.ok)
        }
        defer { parent.stop() }
        let plain = try await Self.findings(parent.origin, trusting: root)
        #expect(plain == ["resolve yes", "connect yes", "tls yes", "offers yes", "request yes"])
        let tunnel = try await Self.findings(parent.origin, to: "https://a.example", trusting: root)
        #expect(tunnel.count == 5 && tunnel.last?.contains("opens no tunnel (status 403)") == true, "\(tunnel)")
        let other = try await Self.findings(parent.origin, trusting: try TestAuthority("Other"))
        #expect(other.count == 3 && other.last?.hasPrefix("tls no: \(parent.origin): ") == true, "\(other)")
    }

    @Test("A wrong password is one bad log-on, and is named")
    func wrong() async throws {
        let parent = try await Self.parent { _ in .send(Self.asks) }
        defer { parent.stop() }
        let found = try await Self.findings(parent.origin, TestRelay.handler(parent.origin, .basic))
        #expect(
            found.count == 4 && found[3].hasPrefix("log-on no: parent: the password of 'account' was refused"),
            "\(found)"
        )
        #expect(parent.requests.filter { $0.field("Proxy-Authorization") != nil }.count == 1)
    }

    @Test("Without an account, and with one whose schemes the parent does not offer")
    func noAccount() async throws {
        let parent = try await Self.parent { _ in .send(Self.asks) }
        defer { parent.stop() }
        let asksDigest = try await Self.parent { _ in .send(Self.asks("Digest realm=\"r\", nonce=\"n\", qop=\"auth\""))
        }
        defer { asksDigest.stop() }
        let none = try await Self.findings(
            asksDigest.origin,
            TestRelay.noAccounts(sites: "\(asksDigest.origin)", schemes: [.digest])
        )
        #expect(none.last?.hasPrefix("log-on no: parent: it asks for an account") == true, "\(none)")
        #expect(none.last?.contains(": keep a password with sallyport credentials add http://") == true, "\(none)")
        let digest = try await Self.findings(parent.origin, TestRelay.handler(parent.origin, .digest))
        #expect(
            digest.last?.hasPrefix("log-on no: parent: it offers no scheme that the relay can answer") == true,
            "\(digest)"
        )
    }

    @Test(
        "A parent that no password helps at: the offers are the step that fails, with what helps",
        arguments: [
            (#"Basic realm="r""#, #"offers no: "Basic": parent: it offers Basic alone"#, "allow Basic with --basic"),
            (#"Hawk ts="1", Foo"#, #"offers no: "Hawk": parent: it offers only hawk, foo"#, "ask who runs it"),
            (#"Bearer realm="r""#, #"offers no: "Bearer": parent: it asks for a token"#, "'token' or 'oauth'"),
            (#"Basic realm="r"#, #"offers no: "Basic": parent: its challenge cannot be read"#, "ask who runs it"),
        ]
    )
    func noPasswordHelps(challenge: String, text: String, remedy: String) async throws {
        let parent = try await Self.parent { _ in .send(Self.asks(challenge)) }
        defer { parent.stop() }
        let found = try await Self.findings(parent.origin, TestRelay.noAccounts(sites: "\(parent.origin)"))
        #expect(found.last?.lowercased().hasPrefix(text.lowercased()) == true, "\(found)")
        #expect(found.last?.contains(remedy) == true && found.last?.contains("keep a password") == false, "\(found)")
    }

    private static func asks(_ challenge: String) -> String {
        "HTTP/1.1 407 No\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n"
    }

    @Test("What is no proxy is named")
    func noProxy() async throws {
        let garbage = try await Self.parent { _ in .send("SSH-2.0-OpenSSH_9.2\r\n\r\n") }
        defer { garbage.stop() }
        let found = try await Self.findings(garbage.origin)
        #expect(found.count == 2 && found[1].contains("does not begin with an HTTP/1 status line"), "\(found)")
        let closing = try await Self.parent { _ in .close }
        defer { closing.stop() }
        #expect(try await Self.findings(closing.origin).last?.contains("closed without a response") == true)
        let silent = try await Self.parent { _ in .hang }
        defer { silent.stop() }
        #expect(
            try await Self.findings(silent.origin, limit: .seconds(4)).last?.contains("no response came within 4 s")
                == true
        )
    }

    @Test("Nothing listens, and a name without an address")
    func unreachable() async throws {
        let origin = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        let found = try await Self.findings(origin)
        #expect(found.count == 1 && found[0].hasPrefix("connect no: \(origin): "), "\(found)")
        let unknown = try await Self.findings(try Origin(parsing: "http://no-such.invalid:1"))
        #expect(unknown.count == 1 && unknown[0].hasPrefix("resolve no: no-such.invalid: "), "\(unknown)")
    }

    @Test("A server that the parent does not reach")
    func badGateway() async throws {
        let parent = try await Self.parent { _ in .send("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n") }
        defer { parent.stop() }
        let found = try await Self.findings(parent.origin)
        #expect(found.last?.contains("status 502: the server is not reached") == true, "\(found)")
    }
}
