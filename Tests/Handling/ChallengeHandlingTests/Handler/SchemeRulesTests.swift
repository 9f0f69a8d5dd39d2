import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import TestSupport
import Testing

/// Which scheme may go where.
@Suite struct SchemeRulesTests {
    static let digest = #"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256"#

    func handler(_ change: (inout AccountAssignment) -> Void = { _ in }) throws -> ChallengeHandler {
        var profile = try TestProfile.make()
        profile.accounts[0].allowsUnbound = false
        change(&profile.accounts[0])
        return try ChallengeHandler(still: profile)
    }

    func decide(
        _ handler: ChallengeHandler,
        _ request: ChallengedRequest,
        _ challenges: [String],
        on connection: ConnectionTraits = .http1,
        extra: HTTPFields = [:]
    ) -> ChallengeDecision {
        var fields = extra
        for challenge in challenges {
            fields.append(HTTPField(name: request.party.challengeField, value: challenge))
        }
        var exchange = handler.exchange(for: request)
        let decision = exchange.received(status: request.party.status, fields: fields, on: connection)
        if case .answer = decision { _ = exchange.received(status: 200, fields: [:]) }
        return decision
    }

    func wiki(_ handler: ChallengeHandler, _ challenges: String..., on connection: ConnectionTraits = .http1) throws
        -> ChallengeDecision
    {
        decide(handler, try TestProfile.request("https://wiki.acme.example"), challenges, on: connection)
    }

    // MARK: Downgrade

    @Test("A party that offered NTLM gets nothing for Basic alone, until the profile says so") func downgrade() throws {
        let shared = ConnectionTraits.shared
        for (stronger, weaker) in [
            ("NTLM", "Basic realm=x"), ("NTLM", Self.digest), (Self.digest, "Basic realm=x"),
            ("Negotiate", "Basic realm=x"),
        ] {
            let schemes: [AuthenticationScheme] = [.negotiate, .ntlm, .digest, .basic]
            let strict = try handler { $0.schemes = schemes }
            // The offer counts also where it is not answered.
            _ = try wiki(strict, stronger, on: shared)
            #expect(try wiki(strict, weaker) == .withhold(.downgraded(account: "jdoe")), "\(stronger), \(weaker)")
            let elsewhere = try TestProfile.request("https://mail.acme.example")
            #expect(decide(strict, elsewhere, [weaker]).answer != nil)
            let lenient = try handler {
                $0.schemes = schemes
                $0.allowsDowngrade = true
            }
            _ = try wiki(lenient, stronger, on: shared)
            #expect(try wiki(lenient, weaker).answer != nil, "\(stronger), \(weaker)")
        }
    }

    @Test("A party that offered SHA-256 gets nothing for MD5 alone") func weakerAlgorithm() throws {
        let weak = #"Digest realm="x", nonce="n", qop="auth", algorithm=MD5"#
        let strict = try handler()
        #expect(try wiki(strict, weak).answer != nil)
        #expect(try wiki(strict, weak, Self.digest).answer?.value.text.contains("SHA-256") == true)
        #expect(try wiki(strict, weak) == .withhold(.downgraded(account: "jdoe")))
        #expect(try wiki(strict, Self.digest).answer != nil)
    }

    @Test("An account that allows a downgrade does not allow it for others") func downgradeOfOneAccount() throws {
        var profile = try TestProfile.make()
        profile.accounts[0].sites = ["wiki.acme.example"]
        profile.accounts.append(
            .init(
                TestProfile.account("guest", domain: nil),
                sites: ["wiki.acme.example/guests/"],
                schemes: [.basic],
                allowsDowngrade: true
            )
        )
        let handler = try ChallengeHandler(still: profile)
        let guests = try TestProfile.request("https://wiki.acme.example", "/guests/")
        _ = try wiki(handler, Self.digest)
        #expect(decide(handler, guests, ["Basic realm=x"]).answer?.account == "guest")
        let downgraded = try wiki(handler, "Basic realm=x")
        #expect(downgraded == .withhold(.downgraded(account: "jdoe")))
    }

    @Test("An offer of NTLM that nothing can answer does not cover a Digest that was replaced by Basic")
    func downgradeBesideNTLM() throws {
        let shared = ConnectionTraits.shared
        let strict = try handler()
        #expect(try wiki(strict, "NTLM", Self.digest, on: shared).answer?.value.text.hasPrefix("Digest ") == true)
        #expect(try wiki(strict, "NTLM", "Basic realm=x", on: shared) == .withhold(.downgraded(account: "jdoe")))
        let unknown = ConnectionTraits(security: .unknownLeaf)
        #expect(try wiki(strict, "NTLM", "Basic realm=x", on: unknown).answer?.value.text.hasPrefix("NTLM ") == true)
        let never = try handler()
        _ = try wiki(never, "NTLM", "Basic realm=x", on: shared)
        #expect(try wiki(never, "NTLM", "Basic realm=x", on: shared).answer?.value.text.hasPrefix("Basic ") == true)
    }

    @Test("Basic does not take the place of NTLM if Proxy-Support is removed on the path") func removedSupport() throws
    {
        var profile = try TestProfile.make()
        profile.sites = try .init(parsing: "http://wiki.acme.example", name: "test")
        profile.accounts[0].sites = ["http://wiki.acme.example"]
        profile.accounts[0].allowsCleartext = true
        let handler = try ChallengeHandler(still: profile)
        let through = ChallengedRequest(
            origin: try Origin(parsing: "http://wiki.acme.example"),
            method: "GET",
            target: "http://wiki.acme.example/"
        )
        let support: HTTPFields = [HTTPField.Name("Proxy-Support")!: "Session-Based-Authentication"]
        let offer = ["NTLM", "Basic realm=x"]
        #expect(decide(handler, through, offer, extra: support).answer?.value.text.hasPrefix("NTLM ") == true)
        #expect(decide(handler, through, offer) == .withhold(.downgraded(account: "jdoe")))
        #expect(decide(handler, through, offer, extra: support).answer != nil)
    }

    @Test("A handler that succeeds another remembers the stronger offer") func downgradeAfterReload() throws {
        let first = try handler()
        _ = try wiki(first, "NTLM", on: .shared)
        let second = try ChallengeHandler(profile: TestProfile.make(), at: 0, succeeding: first)
        #expect(try wiki(second, "Basic realm=x").refusalCode == "downgraded")
    }

    @Test("qop=auth-int beside Basic is answered with the body, or not at all") func bodyDemanded() throws {
        let challenge = #"Digest realm="x", nonce="n", qop="auth-int", algorithm=SHA-256"#
        #expect(try wiki(handler(), challenge, "Basic realm=x").refusalCode == "exchange-failed")
        let request = ChallengedRequest(
            origin: try Origin(parsing: "https://wiki.acme.example"),
            method: "POST",
            target: "/",
            body: .bytes([1, 2, 3])
        )
        let answer = decide(try handler(), request, [challenge, "Basic realm=x"]).answer
        #expect(answer?.value.text.contains("qop=auth-int") == true)
    }

    // MARK: Proxies

    @Test(
        "A proxy challenges CONNECT and absolute targets alone",
        arguments: [
            ("GET", "/", false), ("OPTIONS", "*", false), ("GET", "http://wiki.acme.example/", true),
            ("CONNECT", "wiki.acme.example:443", true), ("GET", "/?u=http://wiki.acme.example/", false),
        ]
    )
    func proxyForms(method: String, target: String, isAnswered: Bool) throws {
        let proxy = ChallengedRequest(
            proxy: try Origin(parsing: "http://proxy.acme.example:3128"),
            method: method,
            target: target
        )
        let decision = decide(try handler(), proxy, [Self.digest])
        #expect(isAnswered ? decision.answer != nil : decision == .withhold(.notAProxyRequest))
    }

    @Test("NTLM to a plain origin through a proxy needs Proxy-Support") func sessionsOfProxies() throws {
        var profile = try TestProfile.make()
        profile.sites = try .init(parsing: "http://wiki.acme.example", name: "test")
        profile.accounts[0].sites = ["http://wiki.acme.example"]
        let handler = try ChallengeHandler(still: profile)
        let origin = try Origin(parsing: "http://wiki.acme.example")
        let through = ChallengedRequest(origin: origin, method: "GET", target: "http://wiki.acme.example/")
        #expect(decide(handler, through, ["NTLM"]) == .withhold(.proxyWithoutSessions(.ntlm)))
        let support: HTTPFields = [HTTPField.Name("Proxy-Support")!: "Session-Based-Authentication"]
        #expect(decide(handler, through, ["NTLM"], extra: support).answer != nil)
        let direct = ChallengedRequest(origin: origin, method: "GET", target: "/")
        #expect(decide(handler, direct, ["NTLM"]).answer != nil)
    }

    // MARK: Connections

    @Test("On a connection that others use, Digest answers in place of NTLM") func sharedConnections() throws {
        let handler = try handler()
        let both = try wiki(handler, "NTLM", Self.digest, on: .shared)
        #expect(both.answer?.value.text.hasPrefix("Digest ") == true)
        #expect(try wiki(handler, "NTLM", on: .shared) == .withhold(.connectionShared(.ntlm)))
    }

    @Test("The second leg of NTLM on another connection ends the exchange and spends nothing") func otherConnection()
        throws
    {
        let clock = ManualClock()
        let handler = ChallengeHandler(try CompiledProfile(TestProfile.make(), at: 0), clock: clock)
        for _ in 0..<3 {
            clock.advance(by: .seconds(60))
            var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            let first = exchange.received(status: 401, fields: TestProfile.fields("NTLM"), on: .init(id: 1))
            // NEGOTIATE begins the handshake, so its response may come on any connection.
            #expect(first.answer?.sameConnection == false)
            let challenge = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
            #expect(exchange.received(status: 401, fields: challenge, on: .init(id: 2)).answer?.sameConnection == true)
            let third = exchange.received(status: 401, fields: TestProfile.fields("NTLM"), on: .init(id: 3))
            #expect(third == .withhold(.exchangeFailed(account: "jdoe", .connectionChanged)))
        }
    }

    @Test("AUTHENTICATE needs a connection that no other request uses, whatever the first message had")
    func challengeOnSharedConnection() throws {
        let handler = ChallengeHandler(try CompiledProfile(TestProfile.make(), at: 0), clock: ManualClock())
        let challenge = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
        for _ in 0..<3 {
            var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            #expect(exchange.received(status: 401, fields: TestProfile.fields("NTLM"), on: .init(id: 1)).answer != nil)
            let second = exchange.received(status: 401, fields: challenge, on: .init(id: 2, canPin: false))
            #expect(second == .withhold(.connectionShared(.ntlm)))
        }
    }

    @Test("A CHALLENGE under another certificate than the offer gets no answer, because its binding would be wrong")
    func otherCertificate() throws {
        let chains = try RecordedChain.first("pin-leaf", reason: "pinned").der
        try #require(chains.count > 1)
        let handler = ChallengeHandler(try CompiledProfile(TestProfile.make(), at: 0), clock: ManualClock())
        let challenge = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
        for _ in 0..<3 {
            var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            let first = ConnectionTraits(id: 1, security: .leaf(chains[0]))
            let offered = exchange.received(status: 401, fields: TestProfile.fields("NTLM"), on: first)
            #expect(offered.answer?.channelBinding == .bound)
            let other = ConnectionTraits(id: 2, security: .leaf(chains[1]))
            let second = exchange.received(status: 401, fields: challenge, on: other)
            #expect(second == .withhold(.exchangeFailed(account: "jdoe", .connectionChanged)))
        }
    }

    // MARK: Channel binding

    @Test("NTLM over TLS is bound, or the caller says why not") func unbound() throws {
        let leaf = try RecordedChain.first("pin-leaf", reason: "pinned").der[0]
        let strict = try handler()
        #expect(try wiki(strict, "NTLM") == .withhold(.unbound(account: "jdoe", .noCertificate)))
        let broken = ConnectionTraits(security: .leaf([0x30, 0x80]))
        #expect(try wiki(strict, "NTLM", on: broken) == .withhold(.unbound(account: "jdoe", .unreadableCertificate)))
        let bound = try wiki(strict, "NTLM", on: ConnectionTraits(security: .leaf(leaf)))
        #expect(bound.answer?.channelBinding == .bound)
        let unknown = try wiki(handler(), "NTLM", on: ConnectionTraits(security: .unknownLeaf))
        #expect(unknown.answer?.channelBinding == .unbound(.noCertificate))
        let allowed = try wiki(handler { $0.allowsUnbound = true }, "NTLM")
        #expect(allowed.answer?.channelBinding == .unbound(.noCertificate))
        let withoutTLS = ConnectionTraits(security: ConnectionTraits.Security.none)
        #expect(try wiki(strict, "NTLM", on: withoutTLS) == .withhold(.unbound(account: "jdoe", .noCertificate)))
        let proxy = ChallengedRequest(
            proxy: try Origin(parsing: "http://proxy.acme.example:3128"),
            method: "CONNECT",
            target: "elsewhere.example:443"
        )
        #expect(decide(strict, proxy, ["NTLM"]).answer?.channelBinding == .notApplicable)
    }

    @Test("Without a binding the next scheme that is not weaker, or nothing, answers") func unboundBesideDigest() throws
    {
        #expect(try wiki(handler(), "NTLM", Self.digest).refusalCode == "unbound")
    }

    // MARK: Accounts

    @Test(
        "A user is written with a domain in either form",
        .row(23),
        arguments: [
            (#"ACME\jdoe"#, nil, "jdoe", "ACME"), ("jdoe", "ACME", "jdoe", "ACME"),
            ("jdoe@acme.example", nil, "jdoe@acme.example", ""), ("jdoe", nil, "jdoe", ""),
        ] as [(String, String?, String, String)]
    )
    func userForms(user: String, domain: String?, sentUser: String, sentDomain: String) throws {
        var profile = try TestProfile.make()
        let account = Account(name: "a", user: user, domain: domain, password: TestProfile.secret("p"))
        profile.accounts = [.init(account, sites: ["wiki.acme.example"], allowsUnbound: true)]
        let handler = try ChallengeHandler(still: profile)
        let ntlm = try #require(handler.ntlmAccount(for: try TestProfile.request("https://wiki.acme.example")))
        #expect(ntlm.user == sentUser)
        #expect(ntlm.domain == sentDomain)
    }

    @Test("A domain that is written twice is an error", .row(23)) func domainTwice() throws {
        var profile = try TestProfile.make()
        let account = Account(name: "a", user: #"ACME\jdoe"#, domain: "OTHER", password: TestProfile.secret("p"))
        profile.accounts = [.init(account, sites: ["wiki.acme.example"])]
        #expect(throws: ProfileError.domainTwice(account: "a", user: "ACME")) {
            try ChallengeHandler(still: profile)
        }
    }

    @Test("A name with two backslashes is an error that shows it", arguments: [nil, "ACME"])
    func backslashes(domain: String?) throws {
        var profile = try TestProfile.make()
        let user = domain == nil ? #"ACME\\jdoe"# : #"\jdoe"#
        let account = Account(name: "a", user: user, domain: domain, password: TestProfile.secret("p"))
        profile.accounts = [.init(account, sites: ["wiki.acme.example"])]
        let error = #expect(throws: ProfileError.backslashes(account: "a", user: #"ACME\\jdoe"#)) {
            try ChallengeHandler(still: profile)
        }
        #expect(error?.description == #"the user of 'a': ACME\\jdoe has more than one '\': write ACME\jdoe"#)
    }

    @Test("A request whose own target is invalid is not blamed on the server") func ownTarget() throws {
        let request = try TestProfile.request("https://wiki.acme.example", "/a\u{1}b")
        let decision = decide(try handler(), request, [Self.digest])
        #expect(decision == .withhold(.exchangeFailed(account: "jdoe", .targetNotRepresentable)))
        #expect(decision.refusalCode == "exchange-failed")
    }
}
