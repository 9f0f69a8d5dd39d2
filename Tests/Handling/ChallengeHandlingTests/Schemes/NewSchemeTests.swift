import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Secrets
import Testing

/// A scheme of one file and one element of a list works wherever the others do.
@Suite struct NewSchemeTests {
    static let challenge = TestProfile.fields("Example realm=wiki")

    func handler(
        schemes: [AuthenticationScheme] = [.example],
        credential: Credential = .token(TestProfile.secret("t0ken"))
    ) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: schemes)
        let account = Account(name: "jdoe", user: "jdoe", domain: "ACME", credential: credential)
        profile.accounts = [.init(account, sites: ["*.acme.example"])]
        let available = AnswerableScheme.standard + [.token]
        return ChallengeHandler(try CompiledProfile(profile, at: 0, available: available), clock: ManualClock())
    }

    @Test("It asks for what it needs, answers, and answers in advance afterwards") func wholeRequest() throws {
        let handler = try handler()
        let request = try OutgoingRequest(url: "https://wiki.acme.example/docs/a")
        var first = handler.authentication(of: request)
        guard case .send(let bare) = first.begin(), bare.fields.isEmpty,
            case .needs(let need) = first.received(status: 401, fields: Self.challenge),
            case .send(let answered) = first.supplied(.token(TestProfile.secret("fetched")))
        else {
            Issue.record("the scheme does not answer")
            return
        }
        #expect(need == .token(realm: "wiki"))
        #expect(answered.fields.map(\.value) == ["Example fetched"])
        guard case .deliver(.accepted) = first.received(status: 200, fields: [:]) else {
            Issue.record("the answer was accepted")
            return
        }
        var second = handler.authentication(of: request)
        guard case .send(let advance) = second.begin() else {
            Issue.record("nothing stands in the way")
            return
        }
        #expect(advance.fields.map(\.value) == ["Example fetched"])
    }

    @Test("What cannot be fetched ends the exchange, and costs no attempt") func needNotMet() throws {
        let handler = try handler()
        for _ in 0..<3 {
            var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
            #expect(exchange.received(status: 401, fields: Self.challenge) == .needs(.token(realm: "wiki")))
            #expect(exchange.supplied(.unavailable) == .withhold(.exchangeFailed(account: "jdoe", .needNotMet)))
        }
    }

    @Test("A refused token is told as one, and the next request asks for another one") func refused() throws {
        let handler = try handler()
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        _ = exchange.received(status: 401, fields: Self.challenge)
        #expect(exchange.supplied(.token(TestProfile.secret("old"))).answer != nil)
        #expect(exchange.received(status: 401, fields: Self.challenge).refusalCode == "token-refused")
        var next = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        #expect(next.received(status: 401, fields: Self.challenge) == .needs(.token(realm: "wiki")))
    }

    @Test("A response in place of what was asked for is out of order") func outOfOrder() throws {
        var exchange = try handler().exchange(for: TestProfile.request("https://wiki.acme.example"))
        _ = exchange.received(status: 401, fields: Self.challenge)
        let decision = exchange.received(status: 401, fields: Self.challenge)
        #expect(decision == .withhold(.exchangeFailed(account: "jdoe", .outOfOrder)))
        var idle = try handler().exchange(for: TestProfile.request("https://wiki.acme.example"))
        #expect(idle.supplied(.unavailable).refusalCode == "exchange-failed")
    }

    @Test("After a secret has left, no scheme follows, whatever the one that sent it says")
    func afterSecret() throws {
        var profile = try TestProfile.make(schemes: [.careless, .basic])
        profile.accounts = [.init(TestProfile.account("jdoe"), sites: ["*.acme.example"])]
        let available = AnswerableScheme.standard + [.careless]
        let handler = ChallengeHandler(try CompiledProfile(profile, at: 0, available: available), clock: ManualClock())
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        let offers = TestProfile.fields("Careless realm=wiki", "Basic realm=wiki")
        #expect(exchange.received(status: 401, fields: offers).answer?.value.text == "Careless secret")
        #expect(exchange.received(status: 401, fields: offers).refusalCode == "exchange-failed")
    }

    @Test("Each scheme answers only with its own kind of secret")
    func kinds() throws {
        let password = Credential.password(TestProfile.secret("p"))
        let hash = Credential.ntHash(SharedSecret(SecretBytes(copying: [UInt8](repeating: 1, count: 16).span)))
        let token = Credential.token(TestProfile.secret("t"))
        for (schemes, credential) in [
            ([.example], password), ([.basic, .digest, .ntlm, .negotiate], token), ([.basic, .digest], hash),
            ([.basic, .digest, .ntlm, .example], .ticket),
        ] as [([AuthenticationScheme], Credential)] {
            let error = ProfileError.noSchemeForCredential(account: "jdoe", kind: credential.kind)
            #expect(throws: error) { try handler(schemes: schemes, credential: credential) }
        }
        // Only the schemes that can use the secret are tried: a token does not fall into Basic or Digest.
        let mixed = try handler(schemes: [.basic, .digest, .example])
        var exchange = mixed.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        let fields = TestProfile.fields("Basic realm=x", #"Digest realm=x, nonce=n, qop="auth""#, "Example realm=wiki")
        #expect(exchange.received(status: 401, fields: fields) == .needs(.token(realm: "wiki")))
    }

    @Test("A party that answers SPNEGO with messages of NTLM gets them; an account without a domain begins with them")
    func rawNTLM() throws {
        var profile = try TestProfile.make(schemes: [.ntlm, .negotiate])
        profile.accounts[0].allowsUnbound = true
        profile.accounts[1].allowsUnbound = true
        let handler = try ChallengeHandler(still: profile)
        var exchange = handler.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        let first = exchange.received(status: 401, fields: TestProfile.fields("Negotiate"))
        #expect(first.answer?.value.text.hasPrefix("Negotiate YE") == true)
        let fields = TestProfile.fields("Negotiate \(try TestChallenge.ntlm())")
        let second = exchange.received(status: 401, fields: fields)
        #expect(second.answer?.value.text.hasPrefix("Negotiate TlRMTVNTUAAD") == true)
        #expect(exchange.received(status: 200, fields: [:]) == .accepted)
        var local = handler.exchange(for: try TestProfile.request("https://build.acme.example"))
        let raw = local.received(status: 401, fields: TestProfile.fields("Negotiate"))
        #expect(raw.answer?.value.text.hasPrefix("Negotiate TlRMTVNTUAAB") == true)
    }
}
