import AllowedSites
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import TestSupport
import Testing

@Suite struct ChallengeExchangeTests {
    func decide(
        _ origin: String,
        _ challenges: String...,
        schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic]
    ) throws -> ChallengeDecision {
        var exchange = try TestProfile.handler(schemes: schemes).exchange(for: TestProfile.request(origin))
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return exchange.received(status: 401, fields: fields)
    }

    @Test(
        "Credentials go to allowed sites only",
        .row(5, 9),
        arguments: [
            "https://partner.example", "https://evilacme.example", "https://acme.example",
            "https://acme.example.evil.example",
            "http://wiki.acme.example", "https://wiki.acme.example:444", "https://quarantine.acme.example",
            "https://192.0.2.1", "http://proxy.acme.example:8080",
        ]
    )
    func siteNotAllowed(origin: String) throws {
        #expect(try decide(origin, "Basic realm=x").refusalCode == "site-not-allowed")
    }

    @Test(
        "curl's CVEs about the host that gets the credentials",
        arguments: [
            "https://wiki.acme.example.", "https://WIKI.ACME.EXAMPLE", "https://wiki.acme.example:443",
        ]
    )
    func theSameSiteInAnotherSpelling(origin: String) throws {
        #expect(try decide(origin, "Basic realm=x").answer?.account == "jdoe")
    }

    @Test(
        "Header confusion never becomes Basic",
        arguments: [
            #"Digest realm="hello, Basic realm=evil""#, #"Digest realm="hello, Basic realm=evil"#,
            #"Digest realm="a\", Basic realm=evil"#, "Digest realm=x, Basic realm",
        ]
    )
    func headerConfusion(challenge: String) throws {
        #expect(try decide("https://wiki.acme.example", challenge).refusalCode == "malformed-challenge")
    }

    @Test("A 407 is no response of an origin: its exchange goes on waiting") func statusOfAProxy() throws {
        let handler = try TestProfile.handler(schemes: [.basic])
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: TestProfile.fields("Basic realm=x")).answer != nil)
        #expect(exchange.received(status: 407, fields: [:]) == .notChallenged)
        #expect(exchange.received(status: 200, fields: [:]) == .accepted)
    }

    @Test(.row(10)) func strongestOfThreeOffersIsOurs() throws {
        let decision = try decide("https://wiki.acme.example", "Basic realm=x", "Negotiate", "NTLM")
        #expect(decision.answer?.value.text.hasPrefix("NTLM ") == true)
        #expect(decision.answer?.sameConnection == false)
        let basicOnly = try decide("https://wiki.acme.example", "Basic realm=x", "NTLM", schemes: [.basic])
        #expect(basicOnly.answer?.value.text == "Basic amRvZTpDb3JyZWN0LUhvcnNl")
    }

    @Test("A Digest that we cannot answer leads on to a stronger scheme, and never to Basic")
    func unsupportedDigest() throws {
        let schemes: [AuthenticationScheme] = [.digest, .ntlm, .basic]
        for unsupported in [
            "Digest realm=x, nonce=y, algorithm=SHA-1, qop=auth", #"Digest realm=x, nonce=y, qop="auth-conf""#,
        ] {
            let origin = "https://wiki.acme.example"
            let stronger = try decide(origin, unsupported, "Basic realm=x", "NTLM", schemes: schemes)
            #expect(stronger.answer?.value.text.hasPrefix("NTLM ") == true, "\(unsupported)")
            let weaker = try decide(origin, unsupported, "Basic realm=x", schemes: schemes)
            #expect(weaker.refusalCode == "exchange-failed", "\(unsupported)")
        }
    }

    @Test("A defective Digest line behind an unsupported one does not lead on either")
    func defectiveDigestBehindAnUnsupportedOne() throws {
        let unsupported = "Digest realm=a, nonce=n, algorithm=SHA-1, qop=auth"
        for defective in [
            "Digest realm=a, qop=auth", "Digest realm=\"\u{FFFD}\", nonce=n", "Digest realm=a, nonce=n, qop=\"\"",
        ] {
            let decision = try decide("https://wiki.acme.example", unsupported, defective, "Basic realm=x")
            #expect(decision.refusalCode == "malformed-challenge", "\(defective)")
        }
    }

    @Test func defectiveDigestDoesNot() throws {
        let decision = try decide("https://wiki.acme.example", "Digest realm=x", "Basic realm=x")
        #expect(decision.refusalCode == "malformed-challenge")
    }

    @Test(
        "Nothing to answer with",
        arguments: [
            ("Negotiate", "no-supported-scheme"), ("Bearer realm=x", "no-supported-scheme"),
            ("", "malformed-challenge"),
        ]
    )
    func noScheme(challenge: String, code: String) throws {
        #expect(try decide("https://wiki.acme.example", challenge).refusalCode == code)
    }

    @Test func theMostSpecificRuleChoosesTheAccount() throws {
        #expect(try decide("https://build.acme.example", "Basic realm=x").answer?.account == "builder")
        #expect(try decide("https://wiki.acme.example", "Basic realm=x").answer?.account == "jdoe")
    }

    @Test func aWrongPasswordIsSentOnce() throws {
        let handler = try TestProfile.handler()
        let fields = TestProfile.fields("Basic realm=x")
        var first = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(first.received(status: 401, fields: fields).answer != nil)
        #expect(first.received(status: 401, fields: fields) == .withhold(.credentialsRefused(account: "jdoe")))
        var second = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(second.received(status: 401, fields: fields) == .withhold(.budgetSpent(account: "jdoe")))
        var otherHost = handler.exchange(for: try TestProfile.request("https://mail.acme.example"))
        #expect(otherHost.received(status: 401, fields: fields).answer != nil)
        try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("new"))
        var third = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(third.received(status: 401, fields: fields).answer?.value.text == "Basic amRvZTpuZXc=")
        #expect(third.received(status: 200, fields: [:]) == .accepted)
    }

    @Test("Another realm or a weaker scheme allows no new attempt") func realmsDoNotMultiplyAttempts() throws {
        let handler = try TestProfile.handler()
        var first = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        _ = first.received(status: 401, fields: TestProfile.fields("Basic realm=a"))
        _ = first.received(status: 401, fields: TestProfile.fields("Basic realm=a"))
        for challenge in ["Basic realm=b", "Digest realm=c, nonce=n, qop=auth", "NTLM"] {
            var next = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            let decision = next.received(status: 401, fields: TestProfile.fields(challenge))
            #expect(decision == .withhold(.budgetSpent(account: "jdoe")), "\(challenge)")
        }
    }

    @Test("An unreadable line may have been the stronger offer") func aBrokenLineEndsIt() throws {
        let decision = try decide("https://wiki.acme.example", #"Digest realm="x"#, "Basic realm=y")
        #expect(decision.refusalCode == "malformed-challenge")
    }

    @Test(
        "An unreadable line that may hold nothing stronger does not cost a good one",
        arguments: [
            ("SCRAM-SHA-256 sid=AAAABBBBCCCCDDDD, data=cj1mLw==", "NTLM", "NTLM"),
            ("Basic realm=My Site", "NTLM", "NTLM"),
            ("Bearer realm=x, resource_metadata=https://wiki.acme.example/x", "Basic realm=y", "Basic"),
            ("Basic realm=My Site", #"Digest realm="x", nonce="y", qop="auth""#, "Digest"),
            ("Basic realm=My Site", "Basic realm=y", "Basic"),
            (#"Digest realm="x"#, "NTLM", "NTLM"),
        ]
    )
    func weakerUnreadableLines(unreadable: String, good: String, scheme: String) throws {
        for lines in [[unreadable, good], [good, unreadable]] {
            let decision = try decide("https://wiki.acme.example", lines[0], lines[1])
            #expect(decision.answer?.value.text.hasPrefix(scheme + " ") == true, "\(lines): \(decision)")
        }
    }

    @Test(
        "An unreadable line that may hold something stronger does",
        arguments: [
            (#"Digest realm="x"#, "Basic realm=y"), ("NTLM a b", "Basic realm=y"),
            ("NTLM a b", #"Digest realm="x", nonce="y", qop="auth""#),
            (#"Digest realm="x, algorithm=SHA-256"#, #"Digest realm="x", nonce="y", qop="auth""#),
            (#"Basic realm="x" y, Digest"#, "Basic realm=y"),
        ]
    )
    func strongerUnreadableLines(unreadable: String, good: String) throws {
        for lines in [[unreadable, good], [good, unreadable]] {
            let decision = try decide("https://wiki.acme.example", lines[0], lines[1])
            #expect(decision.refusalCode == "malformed-challenge", "\(lines)")
        }
    }

    @Test("Two stale nonces in a row spend nothing: the same password is tried again later")
    func staleTwiceSpendsNothing() throws {
        let handler = try TestProfile.handler()
        let stale = TestProfile.fields(#"Digest realm="x", nonce="abc", qop="auth", stale=true"#)
        var first = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(
            first.received(status: 401, fields: TestProfile.fields(#"Digest realm="x", nonce="a", qop="auth""#)).answer
                != nil
        )
        #expect(first.received(status: 401, fields: stale).answer != nil)
        #expect(first.received(status: 401, fields: stale).refusalCode == "exchange-failed")
        var second = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(second.received(status: 401, fields: stale).answer != nil)
    }

    @Test(
        "Basic and Digest write user and domain as the account says",
        arguments: [
            (Account.UserForm.bare, "amRvZTpw", "jdoe"), (.backslash, "QUNNRVxqZG9lOnA=", #"ACME\jdoe"#),
            (.at, "amRvZUBBQ01FOnA=", "jdoe@ACME"),
        ]
    )
    func userForms(form: Account.UserForm, basic: String, user: String) throws {
        let account = Account(
            name: "jdoe",
            user: "jdoe",
            domain: "ACME",
            password: TestProfile.secret("p"),
            userForm: form
        )
        #expect(account.qualifiedUser == user)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "wiki.acme.example", name: "test"),
            schemes: [.digest, .basic],
            accounts: [.init(account, sites: ["wiki.acme.example"])]
        )
        func answer(to challenge: String) throws -> ChallengeAnswer {
            let handler = try ChallengeHandler(still: profile)
            var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            let decision = exchange.received(status: 401, fields: TestProfile.fields(challenge))
            return try #require(decision.answer)
        }
        // printf 'ACME\\jdoe:p' | base64
        #expect(try answer(to: "Basic realm=x").value.text == "Basic \(basic)")
        let digest = try answer(to: #"Digest realm="x", nonce="a", qop="auth""#).value.text
        let quoted = user.replacing(#"\"#, with: #"\\"#)
        #expect(digest.contains(#"username="\#(quoted)""#))
    }

    @Test("An error of the server proves nothing; the next attempt comes later if errors repeat")
    func serverErrors() throws {
        let clock = ManualClock()
        let handler = ChallengeHandler(try CompiledProfile(TestProfile.make(), at: 0), clock: clock)
        let fields = TestProfile.fields("Basic realm=x")
        for _ in 0..<3 {
            var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            #expect(exchange.received(status: 401, fields: fields).answer != nil)
            #expect(exchange.received(status: 503, fields: [:]) == .accepted)
            clock.advance(by: .seconds(2))
        }
        var early = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(early.received(status: 401, fields: fields).answer != nil)
        #expect(early.received(status: 503, fields: [:]) == .accepted)
        var next = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        guard case .wait(let turn) = next.received(status: 401, fields: fields) else {
            Issue.record("the fourth error delays the next attempt")
            return
        }
        #expect(turn.timeLeft == .seconds(4))
    }

    @Test("Only a success after the password proves it") func whatProvesAPassword() throws {
        func isUnproven(after statuses: [Int], _ challenge: String) throws -> Bool {
            // A handler of its own for each case: budgets remember.
            let handler = try TestProfile.handler()
            var exchange = handler.exchange(for: try TestProfile.request("https://mail.acme.example"))
            #expect(exchange.received(status: 401, fields: TestProfile.fields(challenge)).answer != nil)
            for status in statuses { _ = exchange.received(status: status, fields: [:]) }
            // Two first attempts at once are possible only with a proven password.
            var first = handler.exchange(for: try TestProfile.request("https://mail.acme.example"))
            var second = handler.exchange(for: try TestProfile.request("https://mail.acme.example"))
            let fields = TestProfile.fields(challenge)
            _ = first.received(status: 401, fields: fields)
            return second.received(status: 401, fields: fields).refusalCode == "wait"
        }
        #expect(try isUnproven(after: [200], "NTLM"))
        #expect(try isUnproven(after: [407, 103], "Basic realm=a"))
        #expect(try isUnproven(after: [500], "Basic realm=b"))
        #expect(try !isUnproven(after: [404], "Basic realm=c"))
        #expect(try !isUnproven(after: [403], "Basic realm=c"))
        #expect(try !isUnproven(after: [200], "Basic realm=d"))
        #expect(try isUnproven(after: [302], "Basic realm=e"))
        // It is about `Expect`, which a server may judge before anything else.
        #expect(try isUnproven(after: [417], "Basic realm=f"))
    }

    @Test(
        "Redirects and errors of servers behind a proxy hold up nobody, and prove nothing",
        arguments: ["GET", "CONNECT"]
    )
    func errorsBehindAProxy(method: String) throws {
        var profile = try TestProfile.make(schemes: [.basic])
        profile.accounts[0].allowsCleartext = true
        let handler = try ChallengeHandler(still: profile)
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let target = method == "GET" ? "http://elsewhere.example/" : "elsewhere.example:443"
        let request = ChallengedRequest(proxy: proxy, method: method, target: target)
        let fields = TestProfile.fields("Basic realm=x", name: .proxyAuthenticate)
        for status in [503, 301, 502, 302, 500, 400, 429, 307] {
            var exchange = handler.exchange(for: request)
            #expect(exchange.received(status: 407, fields: fields).answer != nil, "before \(status)")
            var second = handler.exchange(for: request)
            #expect(second.received(status: 407, fields: fields).refusalCode == "wait")
            _ = exchange.received(status: status, fields: [:])
        }
        var last = handler.exchange(for: request)
        _ = last.received(status: 407, fields: fields)
        _ = last.received(status: 407, fields: fields)
        var next = handler.exchange(for: request)
        #expect(next.received(status: 407, fields: fields).refusalCode == "budget-spent")
    }

    @Test(.row(22)) func aProxyIsAPartyOfItsOwn() throws {
        var profile = try TestProfile.make()
        profile.accounts[0].allowsCleartext = true
        let handler = try ChallengeHandler(still: profile)
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let request = ChallengedRequest(proxy: proxy, method: "CONNECT", target: "elsewhere.example:443")
        var exchange = handler.exchange(for: request)
        let fields = TestProfile.fields("Basic realm=x", name: .proxyAuthenticate)
        let decision = exchange.received(status: 407, fields: fields)
        #expect(decision.answer?.field == .proxyAuthorization)
        var origin = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(origin.received(status: 407, fields: fields) == .notChallenged)
    }

    @Test func withoutAChallengeNothingIsSent() throws {
        var exchange = try TestProfile.handler().exchange(for: TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 200, fields: TestProfile.fields("Basic realm=x")) == .notChallenged)
    }

    @Test func nothingSecretIsPrinted() throws {
        let handler = try TestProfile.handler()
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        let decision = exchange.received(status: 401, fields: TestProfile.fields("Basic realm=x"))
        var dumped = ""
        dump(decision, to: &dumped)
        dump(handler, to: &dumped)
        for text in ["\(decision)", String(reflecting: handler), dumped] {
            #expect(!text.contains("Horse"))
            #expect(!text.contains("amRvZTpDb3JyZWN0LUhvcnNl"))
        }
    }
}
