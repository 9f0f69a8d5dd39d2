import AllowedSites
import CredentialSources
import CredentialStores
import Credentials
import HTTPAuthentication
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportNIO
import SallyportRelay
import Secrets
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
    ///
    /// - Parameter steps: they have their texts also if they succeeded.
    private static func findings(
        _ parent: Origin,
        _ handler: ChallengeHandler? = nil,
        to url: String = origin,
        trusting root: TestAuthority? = nil,
        limit: TimeAmount = .patient,
        destinations: DestinationRules = DestinationRules(),
        prompt: (any CredentialSource)? = nil,
        store: (any CredentialStore)? = nil,
        _ steps: [RelayCheck.Step] = []
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
        settings.destinations = destinations
        var options = AuthenticatorOptions()
        options.allowsCleartext = prompt != nil || store != nil
        let authenticator = try Authenticator(current, prompt: prompt, store: store, options: options)
        let check = RelayCheck(authenticator, settings, tls: tls)
        let findings = Mutex<[String]>([])
        let isGood = try await check.run(try Origin(parsing: url), path: "/page") { finding in
            findings.withLock {
                let text = finding.isGood && !steps.contains(finding.step) ? "" : ": \(finding.text)"
                $0.append("\(finding.step.rawValue) \(finding.isGood ? "yes" : "no")\(text)")
            }
        }
        let all = findings.withLock { $0 }
        #expect(isGood == all.allSatisfy { $0.contains(" yes") })
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

    @Test("A head of the parent that is too long is the matter of who runs it, in the offers and after the log-on")
    func longHead() async throws {
        let field = "X: \(String(repeating: "a", count: 65_536))\r\n"
        let fields = String(repeating: "X: y\r\n", count: 1_025)
        for (head, problem) in [(field, "65536 bytes"), (fields, "1024 fields")] {
            let long = "HTTP/1.1 200 OK\r\n\(head)Content-Length: 0\r\n\r\n"
            let end =
                "the head of the response has more than \(problem): ask who runs the server or proxy to send fewer or shorter fields"
            let atOnce = try await Self.parent { _ in .send(long) }
            defer { atOnce.stop() }
            let first = try await Self.findings(atOnce.origin)
            #expect(first == ["connect yes", "offers no: \(atOnce.origin): \(end)"])
            let later = try await Self.parent {
                $0.field("Proxy-Authorization") == Self.answer ? .send(long) : .send(Self.asks)
            }
            defer { later.stop() }
            let found = try await Self.findings(later.origin, TestRelay.handler(later.origin, .basic))
            #expect(found.last?.hasSuffix(" no: \(later.origin): \(end)") == true, "\(found)")
        }
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
        #expect(tunnel.count == 5 && tunnel.last?.contains("opens no tunnel (status 403 No)") == true, "\(tunnel)")
        let other = try await Self.findings(parent.origin, trusting: try TestAuthority("Other"))
        #expect(other.count == 3 && other.last?.hasPrefix("tls no: \(parent.origin): ") == true, "\(other)")
        #expect(other.last?.hasSuffix("; --cacert of sallyport relay names a file of roots") == true, "\(other)")
    }

    @Test("The account that has logged on is named, and where its password came from; never the password")
    func named() async throws {
        let parent = try await Self.parent { request in
            request.field("Proxy-Authorization") == nil ? .send(Self.asks) : .send(Self.ok)
        }
        defer { parent.stop() }
        func logOn(
            _ handler: ChallengeHandler? = nil,
            _ prompt: (any CredentialSource)? = nil,
            _ store: (any CredentialStore)? = nil
        ) async throws -> String? {
            let handler = try handler ?? TestRelay.noAccounts(sites: "\(parent.origin)")
            let all = try await Self.findings(parent.origin, handler, prompt: prompt, store: store, [.logOn])
            #expect(all.count == 5 && !all.contains { $0.contains("Correct-Horse") }, "\(all)")
            return all.dropFirst(3).first
        }
        let profile = try await logOn(TestRelay.handler(parent.origin, .basic))
        #expect(profile == "log-on yes: the parent lets jdoe pass, 'account' of the profile")
        struct Person: CredentialSource {
            func reply(to question: CredentialQuestion) async throws -> CredentialReply {
                .use(SuppliedCredential(login: #"ACME\jdoe"#, password: SharedSecret(utf8: "Correct-Horse")))
            }
        }
        #expect(try await logOn(nil, Person()) == #"log-on yes: the parent lets ACME\jdoe pass, typed at the terminal"#)
        let store = MemoryCredentialStore()
        let name = CredentialName(space: .origin(parent.origin, party: .proxy), user: "ada", domain: nil)
        try await store.save(StoredCredential(name: name, secret: SharedSecret(utf8: "Correct-Horse"), created: 1))
        #expect(try await logOn(nil, Person(), store) == "log-on yes: the parent lets ada pass, from the store")
    }

    @Test("A destination that the relay does not serve is no failure of the log-on") func forbidden() async throws {
        let parent = try await Self.parent { _ in .send(Self.asks) }
        defer { parent.stop() }
        let found = try await Self.findings(
            parent.origin,
            TestRelay.handler(parent.origin, .basic),
            to: "http://127.0.0.1:1"
        )
        #expect(found.count == 4 && found[2] == "account yes", "\(found)")
        #expect(found[3].hasPrefix("request no: http://127.0.0.1:1: the relay does not serve loopback"), "\(found)")
    }

    @Test("A server whose root is not known: the request fails, and the remedy names --cacert") func unknownRoot()
        async throws
    {
        let (root, other) = (try TestAuthority("Root"), try TestAuthority("Other"))
        let server = try await Self.parent(tls: root) { _ in .send(Self.ok) }
        defer { server.stop() }
        let list = SiteTrie(compiling: try SiteDialect.noProxy.read("127.0.0.0/8,localhost", name: "test").list)
        var rules = DestinationRules()
        (rules.direct, rules.allowed) = (list, list)
        let unused = try Origin(parsing: "http://127.0.0.1:\(ServerPort.take())")
        // A relay that reaches the server directly is the parent.
        try await TestRelay.run(before: unused, destinations: rules) { relay in
            let parent = try Origin(parsing: "http://127.0.0.1:\(relay.port)")
            var allowed = DestinationRules()
            allowed.allowed = list
            let url = "https://localhost:\(server.origin.port)"
            let known = try await Self.findings(parent, to: url, trusting: root, destinations: allowed)
            #expect(known == ["connect yes", "offers yes", "request yes"])
            let found = try await Self.findings(parent, to: url, trusting: other, destinations: allowed)
            #expect(found.count == 3 && found[2].hasPrefix("request no: \(url): "), "\(found)")
            #expect(
                found[2].hasSuffix("; --cacert of sallyport relay names a file of roots, and programs need them, too"),
                "\(found)"
            )
        }
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
        #expect(found.last?.hasSuffix("; it was that of jdoe, 'account' of the profile") == true, "\(found)")
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
        #expect(
            none.last?.hasPrefix("log-on no: parent: it asks for an account, and no password was given: ") == true,
            "\(none)"
        )
        let keeping = "keep a password with sallyport credentials add \(asksDigest.origin) --proxy --user USER"
        #expect(
            none.last?.hasSuffix(": type one at a terminal, or leave out --no-store and \(keeping)") == true,
            "\(none)"
        )
        let empty = try await Self.findings(
            asksDigest.origin,
            TestRelay.noAccounts(sites: "\(asksDigest.origin)", schemes: [.digest]),
            store: MemoryCredentialStore(),
            [.account]
        )
        #expect(empty.last?.hasSuffix(": \(keeping), or type it at a terminal") == true, "\(empty)")
        #expect(
            empty[2]
                == "account yes: none in the profile: the store is read, then the terminal is asked, where there is one"
        )
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
        let closed = try await Self.findings(closing.origin)
        #expect(closed.last?.contains("closed without a response") == true, "\(closed)")
        #expect(
            closed.last?.hasSuffix("; if the proxy speaks TLS, write https://127.0.0.1:\(closing.origin.port)") == true,
            "\(closed)"
        )
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
