import AllowedSites
import Credentials
import HTTPTypes
import Sallyport
import Secrets
import Testing

/// A profile that is loaded again: what was refused stays refused until something about it changed.
@Suite struct SuccessionTests {
    static let fields = TestProfile.fields("Basic realm=x")

    /// A handler whose account `jdoe` was refused at the wiki.
    static func refusedAtWiki() throws -> ChallengeHandler {
        let handler = try TestProfile.handler()
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: fields).answer != nil)
        #expect(exchange.received(status: 401, fields: fields).refusalCode == "credentials-refused")
        return handler
    }

    func decide(
        _ handler: ChallengeHandler,
        _ origin: String = "https://wiki.acme.example",
        fields: HTTPFields = fields
    ) throws -> ChallengeDecision {
        var exchange = handler.exchange(for: try TestProfile.request(origin))
        return exchange.received(status: 401, fields: fields)
    }

    @Test func aReloadSendsNoRefusedPasswordAgain() throws {
        var handler = try Self.refusedAtWiki()
        for _ in 0..<3 {
            handler = try ChallengeHandler(profile: TestProfile.make(), at: 0, succeeding: handler)
            #expect(try decide(handler).refusalCode == "budget-spent")
        }
        #expect(try decide(handler, "https://mail.acme.example").answer != nil)
    }

    @Test func withoutAPredecessorNothingIsKnown() throws {
        _ = try Self.refusedAtWiki()
        #expect(try decide(TestProfile.handler()).answer != nil)
    }

    @Test(
        "What changed may be tried",
        arguments: [
            TestProfile.account("jdoe", password: "Another-Horse"), TestProfile.account("jdoe", domain: "OTHER"),
            Account(name: "jdoe", user: "jdoe2", domain: "ACME", password: TestProfile.secret("Correct-Horse")),
        ]
    )
    func aChangedAccount(account: Account) throws {
        var profile = try TestProfile.make()
        profile.accounts[0] = .init(account, sites: profile.accounts[0].sites)
        let handler = try ChallengeHandler(profile: profile, at: 0, succeeding: Self.refusedAtWiki())
        #expect(try decide(handler).answer != nil)
    }

    @Test("Names that only look the same are two: other bytes are sent") func otherBytesOfOneName() throws {
        let fields = TestProfile.fields("Basic realm=x, charset=\"UTF-8\"")
        func handler(_ user: String, after earlier: ChallengeHandler? = nil) throws -> ChallengeHandler {
            var profile = try TestProfile.make()
            let account = Account(
                name: "jdoe",
                user: user,
                domain: "ACME",
                password: TestProfile.secret("Correct-Horse")
            )
            profile.accounts[0] = .init(account, sites: profile.accounts[0].sites)
            guard let earlier else { return try ChallengeHandler(still: profile) }
            return try ChallengeHandler(profile: profile, at: 0, succeeding: earlier)
        }
        let decomposed = try handler("Jose\u{301}")
        var exchange = decomposed.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: fields).answer != nil)
        #expect(exchange.received(status: 401, fields: fields).refusalCode == "credentials-refused")
        let same = try handler("Jose\u{301}", after: decomposed)
        #expect(try decide(same, fields: fields).refusalCode == "budget-spent")
        let composed = try handler("Jos\u{E9}", after: decomposed)
        #expect(try decide(composed, fields: fields).answer != nil)
    }

    @Test("Forms of one user of a directory share their count of refusals") func formsOfOneUser() throws {
        let password = TestProfile.secret("Password")
        // NTOWFv1 of "Password" (MS-NLMP 4.2.2.1.1).
        let bytes: [UInt8] = [
            0xA4, 0xF4, 0x9C, 0x40, 0x65, 0x10, 0xBD, 0xCA, 0xB6, 0x82, 0x4E, 0xE7, 0xC3, 0x0F, 0xD8, 0x52,
        ]
        let hash = SharedSecret(SecretBytes(copying: bytes.span))
        let forms = [
            Account(name: "a", user: "jdoe", domain: "acme.example", password: password),
            Account(name: "b", user: "jdoe@acme.example", password: password),
            Account(name: "c", user: #"ACME.example\JDoe"#, password: password),
            Account(name: "d", user: "jdoe", domain: "acme.example", password: password, userForm: .at),
            Account(name: "e", user: "jdoe", domain: "acme.example", credential: .ntHash(hash)),
        ]
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "test"),
            schemes: [.ntlm, .basic],
            accounts: forms.map { .init($0, sites: ["\($0.name).acme.example"], allowsUnbound: true) }
        )
        for order in [[0, 1, 2], [1, 4, 0], [2, 3, 1], [4, 0, 3]] {
            let handler = try ChallengeHandler(still: profile)
            for index in order.prefix(2) {
                let request = try TestProfile.request("https://\(forms[index].name).acme.example")
                var exchange = handler.exchange(for: request)
                if forms[index].credential.password != nil {
                    #expect(exchange.received(status: 401, fields: Self.fields).answer != nil)
                    #expect(exchange.received(status: 401, fields: Self.fields).refusalCode == "credentials-refused")
                } else {
                    let challenge = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
                    #expect(exchange.received(status: 401, fields: TestProfile.fields("NTLM")).answer != nil)
                    #expect(exchange.received(status: 401, fields: challenge).answer != nil)
                    let refused = exchange.received(status: 401, fields: TestProfile.fields("NTLM"))
                    #expect(refused.refusalCode == "credentials-refused")
                }
            }
            let third = try decide(handler, "https://\(forms[order[2]].name).acme.example")
            #expect(third.refusalCode == "account-paused", "\(order)")
        }
    }

    @Test("A user that a host refused in one form is tried once in another") func anotherForm() throws {
        func handler(_ form: Account.UserForm, after earlier: ChallengeHandler? = nil) throws -> ChallengeHandler {
            var profile = try TestProfile.make()
            let account = Account(
                name: "jdoe",
                user: "jdoe",
                domain: "acme.example",
                password: TestProfile.secret("Correct-Horse"),
                userForm: form
            )
            profile.accounts[0] = .init(account, sites: profile.accounts[0].sites)
            guard let earlier else { return try ChallengeHandler(still: profile) }
            return try ChallengeHandler(profile: profile, at: 0, succeeding: earlier)
        }
        let bare = try handler(.bare)
        var exchange = bare.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: Self.fields).answer != nil)
        #expect(exchange.received(status: 401, fields: Self.fields).refusalCode == "credentials-refused")
        let qualified = try handler(.at, after: bare)
        #expect(try decide(qualified).answer != nil)
        #expect(try decide(handler(.bare, after: qualified)).refusalCode == "budget-spent")
    }

    @Test func accountsAreFoundByNameNotByOrder() throws {
        var profile = try TestProfile.make()
        profile.accounts.reverse()
        let handler = try ChallengeHandler(profile: profile, at: 0, succeeding: Self.refusedAtWiki())
        #expect(try decide(handler).refusalCode == "budget-spent")
        #expect(try decide(handler, "https://build.acme.example").answer?.account == "builder")
    }

    @Test("A refused password that comes back with an old profile stays refused") func returningPassword() throws {
        let first = try Self.refusedAtWiki()
        try first.updateUserCredentials(account: "jdoe", password: TestProfile.secret("Another-Horse"))
        let second = try ChallengeHandler(profile: TestProfile.make(), at: 0, succeeding: first)
        #expect(try decide(second).refusalCode == "budget-spent")
        try second.forgive(account: "jdoe")
        #expect(try decide(second).answer != nil)
    }

    @Test func theSamePasswordLiftsNoRefusal() throws {
        let handler = try Self.refusedAtWiki()
        try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("Correct-Horse"))
        #expect(try decide(handler).refusalCode == "budget-spent")
        try handler.updateUserCredentials(account: "jdoe", password: TestProfile.secret("Another-Horse"))
        #expect(try decide(handler).answer != nil)
    }

    @Test("What the old handler has under way counts for the new one") func attemptsAreShared() throws {
        let first = try TestProfile.handler()
        var exchange = first.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(exchange.received(status: 401, fields: Self.fields).answer != nil)
        let second = try ChallengeHandler(profile: TestProfile.make(), at: 0, succeeding: first)
        #expect(try decide(second).refusalCode == "wait")
        #expect(exchange.received(status: 401, fields: Self.fields).refusalCode == "credentials-refused")
        #expect(try decide(second).refusalCode == "budget-spent")
    }
}
