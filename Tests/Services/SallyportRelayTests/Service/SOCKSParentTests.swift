import CredentialSources
import Credentials
import Hostnames
import LiveServers
import NIOCore
import Sallyport
import SallyportRelay
import Secrets
import Synchronization
import Testing

/// SOCKS5 parents. The proxy is a script in Python that reads RFC 1928 and RFC 1929 on its own.
@Suite(.inTurn, .needs(.python)) struct SOCKSParentTests {
    private static func origin() async throws -> ScriptedServer {
        try await ScriptedServer { request in
            if request.field("Expect") != nil, request.body.isEmpty { return .send("HTTP/1.1 100 Continue\r\n\r\n") }
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.target.utf8.count)\r\n\r\n\(request.target)")
        }
    }

    private static func parent(_ proxy: SOCKSServer, user: String? = nil) throws -> RelayParent {
        try RelayParent(parsing: "socks5://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(proxy.port)")
    }

    private static func handler(_ proxy: SOCKSServer, password: String = "Correct-Horse") throws -> ChallengeHandler {
        try TestRelay.handler(try Origin(parsing: "http://127.0.0.1:\(proxy.port)"), .basic, password: password)
    }

    @Test("Requests are sent in origin form on one connection a server; the proxy gets the name and resolves it")
    func open() async throws {
        let (proxy, server) = (try SOCKSServer("open"), try await Self.origin())
        defer { server.stop() }
        let port = server.origin.port
        try await TestRelay.run(before: [Self.parent(proxy)]) { relay in
            let client = try relay.connect()
            for path in ["/a", "/b?c"] {
                #expect(try client.get("http://no-such.invalid:\(port)\(path)").body == path)
            }
            try client.send(
                "POST http://no-such.invalid:\(port)/p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
            )
            #expect(try client.readResponse().body == "/p")
            #expect(try client.get("http://10.0.0.1:\(port)/v4").body == "/v4")
            #expect(try client.get("http://[2001:db8::1]:\(port)/v6").body == "/v6")
            try client.send("CONNECT no-such.invalid:\(port) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            try client.send("GET /inside HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().body == "/inside")
        }
        #expect(server.requests.map(\.target) == ["/a", "/b?c", "/p", "/v4", "/v6", "/inside"])
        #expect(server.requests[2].body == "hello")
        #expect(
            try proxy.requests == [
                "3 no-such.invalid:\(port)", "1 10.0.0.1:\(port)", "4 20010db8000000000000000000000001:\(port)",
                "3 no-such.invalid:\(port)",
            ]
        )
        // RFC 1928 section 3: version 5, and both methods that the relay knows.
        #expect(try proxy.log.first?["methods"] as? [Int] == [0, 2])
        #expect(try proxy.log.first?["version"] as? Int == 5)
    }

    @Test("Loopback is not asked for, also not through a SOCKS proxy")
    func forbidden() async throws {
        let proxy = try SOCKSServer("open")
        try await TestRelay.run(before: [Self.parent(proxy)]) { relay in
            for host in ["127.0.0.1", "ip6-localhost"] {
                let response = try relay.connect().get("http://\(host):\(proxy.port)/")
                #expect(response.status == 403)
            }
        }
        #expect(try proxy.log.isEmpty)
    }

    @Test("The account of the profile is sent to a proxy that asks, and to no other")
    func password() async throws {
        let (proxy, server) = (try SOCKSServer("password", account: "jdoe:Correct-Horse"), try await Self.origin())
        defer { server.stop() }
        let url = "http://a.example:\(server.origin.port)/x"
        try await TestRelay.run(before: [Self.parent(proxy, user: "jdoe")], Self.handler(proxy)) { relay in
            for _ in 0..<2 {
                let response = try relay.connect().get(url)
                #expect(response.body == "/x")
            }
        }
        // Two event loops may have a connection each.
        let logOns = try proxy.logOns
        #expect((1...2).contains(logOns.count) && !logOns.contains(false))
        #expect(try proxy.log[1]["logOn"] as? Int == 1)
        let open = try SOCKSServer("open")
        try await TestRelay.run(before: [Self.parent(open)], Self.handler(open)) { relay in
            let response = try relay.connect().get(url)
            #expect(response.body == "/x")
        }
        #expect(try open.logOns.isEmpty)
    }

    @Test("Clients of one identity do not get the connections of another, nor its account")
    func identities() async throws {
        let (proxy, server) = (try SOCKSServer("password", account: "jdoe:Correct-Horse"), try await Self.origin())
        defer { server.stop() }
        var settings = RelaySettings()
        settings.parents = [try Self.parent(proxy)]
        settings.listeners = try ["127.0.0.1:0", "127.0.0.2:0"].map { try ListenAddress(parsing: $0) }
        let other = CurrentHandler(try Self.handler(proxy, password: "Wrong"))
        settings.identities = [RelayIdentity(other, for: [.listener(settings.listeners[1])])]
        try await TestRelay.run(settings, Self.handler(proxy)) { relay, ports in
            let url = "http://a.example:\(server.origin.port)/x"
            // Several, so that each event loop has a connection.
            for _ in 0..<8 { #expect(try RelayClient(port: ports[0]).get(url).status == 200) }
            let client = RelayClient(try ByteStream(to: "127.0.0.2", port: ports[1]))
            #expect(try client.get(url).status == 502)
            #expect(await relay.counters().badLogOns == 1)
        }
        let logOns = try proxy.logOns
        #expect(logOns.last == false && logOns.dropLast().allSatisfy(\.self))
    }

    @Test("Many clients with a wrong password cost one bad log-on, and the refusal names the proxy")
    func wrongPassword() async throws {
        let proxy = try SOCKSServer("password", account: "jdoe:Correct-Horse")
        try await TestRelay.run(before: [Self.parent(proxy)], Self.handler(proxy, password: "Wrong")) { relay in
            let answers = try await withThrowingTaskGroup(of: RelayClient.Response.self) { group in
                for _ in 0..<16 { group.addTask { try relay.connect().get("http://a.example/") } }
                return try await group.reduce(into: [RelayClient.Response]()) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 502 })
            #expect(answers.allSatisfy { !$0.body.contains("Wrong") })
            #expect(await relay.relay.counters().badLogOns == 1)
        }
        #expect(try proxy.logOns == [false])
    }

    @Test("A person is asked for the password that a SOCKS proxy refuses, and the request goes on")
    func asked() async throws {
        let (proxy, server) = (try SOCKSServer("password", account: "jdoe:second"), try await Self.origin())
        defer { server.stop() }
        let asked = Mutex(0)
        let person = FixedPerson { asked.withLock { $0 += 1 } }
        let site = "http://127.0.0.1:\(proxy.port)"
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(
            CurrentHandler(try TestRelay.noAccounts(sites: site)),
            prompt: person,
            options: options
        )
        let url = "http://a.example:\(server.origin.port)/x"
        try await TestRelay.run(before: [Self.parent(proxy)], authenticator: authenticator) { relay in
            #expect(try relay.connect().get(url).body == "/x")
            try proxy.change(to: "jdoe:third")
            #expect(try relay.connect().get("http://b.example:\(server.origin.port)/y").body == "/y")
        }
        // "first" is refused, then "second" is right; then it is refused, and once more because it was right before.
        let logOns = try proxy.logOns
        #expect(logOns.prefix(2) == [false, true] && logOns.last == true && logOns.filter { !$0 }.count <= 3)
        #expect(asked.withLock { $0 } == 3)
    }

    @Test(
        "Where clear text is not allowed, no one is asked for a SOCKS proxy's password, and the reason says what allows it"
    )
    func askedForNothing() async throws {
        let proxy = try SOCKSServer("password", account: "jdoe:first")
        let asked = Mutex(0)
        let site = "http://127.0.0.1:\(proxy.port)"
        let authenticator = try Authenticator(
            CurrentHandler(try TestRelay.noAccounts(sites: site)),
            prompt: FixedPerson { asked.withLock { $0 += 1 } }
        )
        try await TestRelay.run(before: [Self.parent(proxy)], authenticator: authenticator) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502 && response.body.contains("allow that with --basic"), "\(response.body)")
        }
        #expect(asked.withLock { $0 } == 0)
        #expect(try proxy.logOns.isEmpty)
    }

    private struct FixedPerson: CredentialSource {
        let ask: @Sendable () -> Void
        private let answers = Answers()

        init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }

        private final class Answers: Sendable {
            let left = Mutex(["first", "second", "third"])
        }

        func reply(to question: CredentialQuestion) async throws -> CredentialReply {
            ask()
            let answer = answers.left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let answer else { return .nothing }
            return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: answer), keep: .session))
        }
    }

    @Test("Another user than the one of the parent's URL is not sent")
    func otherUser() async throws {
        let proxy = try SOCKSServer("password", account: "jdoe:Correct-Horse")
        try await TestRelay.run(before: [Self.parent(proxy, user: "ada")], Self.handler(proxy)) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502 && response.body.contains("another user than the parent's URL"))
        }
        #expect(try proxy.logOns.isEmpty)
    }

    @Test("Without the opt-in to clear text no password is sent")
    func cleartext() async throws {
        let proxy = try SOCKSServer("password", account: "jdoe:Correct-Horse")
        let rule = "http://127.0.0.1:\(proxy.port)"
        let account = Account(name: "a", user: "jdoe", domain: nil, password: SharedSecret(utf8: "Correct-Horse"))
        let handler = try ChallengeHandler(
            profile: SecurityProfile(
                sites: try .init(parsing: rule, name: "test"),
                schemes: [.basic],
                accounts: [.init(account, sites: [rule])]
            ),
            at: 0
        )
        try await TestRelay.run(before: [Self.parent(proxy)], handler) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502)
        }
        #expect(try proxy.logOns.isEmpty)
    }

    @Test(
        "What the proxy says of the server is the client's answer, and no other parent is tried",
        arguments: [
            (1, 502, "gives no reason"), (2, 403, "rules do not allow"), (3, 502, "network cannot be reached"),
            (4, 502, "host cannot be reached"), (5, 502, "refuses connections"), (6, 502, "time to live"),
            (7, 502, "no CONNECT"), (8, 502, "kind of address"), (9, 502, "gives no reason"),
        ]
    )
    func replies(number: Int, status: Int, text: String) async throws {
        let (proxy, second) = (try SOCKSServer("reply=\(number)"), try SOCKSServer("open"))
        try await TestRelay.run(before: [Self.parent(proxy), Self.parent(second)]) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == status)
            #expect(response.body.contains("socks5://127.0.0.1:\(proxy.port): ") && response.body.contains(text))
        }
        #expect(try second.log.isEmpty)
    }

    @Test(
        "A parent that speaks no SOCKS, wants another log-on, closes, or does not answer is left out",
        arguments: [
            ("http", "does not speak SOCKS"), ("method=255", "another log-on"), ("method=1", "another log-on"),
            ("close", "closed the connection"), ("hang", "did not end the handshake"),
        ]
    )
    func unusable(mode: String, text: String) async throws {
        let (bad, good, server) = (try SOCKSServer(mode), try SOCKSServer("open"), try await Self.origin())
        defer { server.stop() }
        var limits = RelayLimits()
        if mode == "hang" { limits.handshake = .seconds(2) }
        try await TestRelay.run(before: [Self.parent(bad)], limits: limits) { relay in
            let response = try relay.connect().get("http://a.example/")
            #expect(response.status == 502 && response.body.contains(text), "\(response.body)")
        }
        // The good one has to end its handshake in this time.
        if mode == "hang" { limits.handshake = .seconds(20) }
        try await TestRelay.run(before: [Self.parent(bad), Self.parent(good)], limits: limits) { relay in
            let response = try relay.connect().get("http://a.example:\(server.origin.port)/x")
            #expect(response.body == "/x")
            // It rests for a second, which may be over now.
            let counters = await relay.relay.counters()
            #expect(counters.failovers == 1)
        }
    }

    @Test("A request with a body goes to an HTTP parent after a SOCKS parent that is gone, in the other form")
    func otherForm() async throws {
        let http = try await Self.origin()
        defer { http.stop() }
        let gone = try RelayParent(parsing: "socks5://127.0.0.1:\(ServerPort.take())")
        try await TestRelay.run(before: [gone, RelayParent(http.origin)]) { relay in
            let client = try relay.connect()
            try client.send("POST http://a.example/p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.readResponse().body == "http://a.example/p")
        }
        #expect(http.requests.map(\.body) == ["hello"])
    }

    @Test(
        "MicroSocks takes requests and tunnels, with and without an account",
        .needs(.microsocks),
        arguments: ["none", "right", "wrong"]
    )
    func live(account: String) async throws {
        let server = try await Self.origin()
        defer { server.stop() }
        let proxy = try SOCKSServer(microsocks: account == "none" ? nil : ("jdoe", "Correct-Horse"))
        let handler =
            account == "none"
            ? nil : try Self.handler(proxy, password: account == "right" ? "Correct-Horse" : "Wrong")
        let rules = try TestRelay.loopback()
        try await TestRelay.run(before: [Self.parent(proxy)], handler, destinations: rules) { relay in
            let client = try relay.connect()
            let response = try client.get("\(server.origin)/live")
            guard account != "wrong" else {
                #expect(response.status == 502)
                #expect(await relay.relay.counters().badLogOns == 1)
                return
            }
            #expect(response.body == "/live")
            try client.send("CONNECT 127.0.0.1:\(server.origin.port) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().status == 200)
            try client.send("GET /inside HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readResponse().body == "/inside")
        }
    }

    @Test(
        "A person who answers late: 503 that says that the question is still open, and the answer serves the next request"
    )
    func openQuestion() async throws {
        struct Late: CredentialSource {
            let gate: @Sendable () -> Bool
            func reply(to question: CredentialQuestion) async throws -> CredentialReply {
                try await eventually("the gate is open", gate)
                return .use(SuppliedCredential(user: "jdoe", password: SharedSecret(utf8: "second")))
            }
        }
        let (proxy, server) = (try SOCKSServer("password", account: "jdoe:second"), try await Self.origin())
        defer { server.stop() }
        let answers = Mutex(false)
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(
            CurrentHandler(try TestRelay.noAccounts(sites: "http://127.0.0.1:\(proxy.port)")),
            prompt: Late { answers.withLock { $0 } },
            options: options
        )
        var limits = RelayLimits()
        limits.asking = .seconds(2)
        let url = "http://a.example:\(server.origin.port)/x"
        try await TestRelay.run(before: [Self.parent(proxy)], authenticator: authenticator, limits: limits) { relay in
            let response = try relay.connect().get(url)
            #expect(response.status == 503 && response.body.contains("terminal is still open: "), "\(response.body)")
            answers.withLock { $0 = true }
            // A machine that has much to do may need longer than the two seconds, so the person's program asks again.
            var body = ""
            for _ in 0..<300 where body != "/x" { body = try relay.connect().get(url).body }
            #expect(body == "/x")
        }
        #expect(try proxy.logOns == [true])
    }

    @Test("A relay that ends does not wait for a person who is asked for a SOCKS proxy's password")
    func ending() async throws {
        let proxy = try SOCKSServer("password", account: "jdoe:second")
        let asked = Mutex(false)
        struct Silent: CredentialSource {
            let ask: @Sendable () -> Void
            func reply(to question: CredentialQuestion) async throws -> CredentialReply {
                ask()
                try await Task.sleep(for: .seconds(600))
                return .nothing
            }
        }
        let site = "http://127.0.0.1:\(proxy.port)"
        var options = AuthenticatorOptions()
        options.allowsCleartext = true
        let authenticator = try Authenticator(
            CurrentHandler(try TestRelay.noAccounts(sites: site)),
            prompt: Silent { asked.withLock { $0 = true } },
            options: options
        )
        let begin = ContinuousClock.now
        try await TestRelay.run(before: [Self.parent(proxy)], authenticator: authenticator) { relay in
            let client = try relay.connect()
            try client.send("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("the person is asked") { asked.withLock { $0 } }
            #expect(await relay.relay.counters().waitingForPassword == 1)
            let stopped = Task { await relay.relay.stop() }
            #expect(try client.readResponse().status == 503)
            await stopped.value
        }
        // A person is waited for five minutes.
        #expect(ContinuousClock.now - begin < .seconds(240))
    }
}
