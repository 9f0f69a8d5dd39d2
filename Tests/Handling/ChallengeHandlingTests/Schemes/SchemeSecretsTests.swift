import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Negotiate
import Sallyport
import Testing

/// Which secrets a scheme can use, and what may follow once a secret has left.
@Suite struct SchemeSecretsTests {
    private func handler(schemes: [AuthenticationScheme], credential: Credential) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: schemes)
        let account = Account(name: "jdoe", user: "jdoe", domain: "ACME", credential: credential)
        profile.accounts = [.init(account, sites: ["*.acme.example"])]
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
    }

    /// A handler whose account answers with a ticket, which the caller fetches.
    private func ticketHandler() throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [.negotiate])
        let account = Account(name: "jdoe", user: "jdoe@ACME.EXAMPLE", credential: .ticket)
        let rules = NegotiateRules(usesKerberos: true)
        profile.accounts = [.init(account, sites: ["*.acme.example"], allowsUnbound: true, negotiate: rules)]
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
    }

    private static let url = "https://wiki.acme.example"
    private static let offer = TestProfile.fields("Negotiate")

    @Test("What cannot be fetched ends the exchange, and costs no attempt") func needNotMet() throws {
        let handler = try ticketHandler()
        for _ in 0..<3 {
            var exchange = handler.exchange(for: try TestProfile.request(Self.url))
            guard case .needs(let need) = exchange.received(status: 401, fields: Self.offer) else {
                Issue.record("a ticket is needed")
                return
            }
            #expect(need.service == "HTTP/wiki.acme.example")
            #expect(exchange.supplied(.unavailable) == .withhold(.exchangeFailed(account: "jdoe", .needNotMet)))
        }
    }

    @Test("A response in place of what was asked for is out of order") func outOfOrder() throws {
        var exchange = try ticketHandler().exchange(for: TestProfile.request(Self.url))
        _ = exchange.received(status: 401, fields: Self.offer)
        let decision = exchange.received(status: 401, fields: Self.offer)
        #expect(decision == .withhold(.exchangeFailed(account: "jdoe", .outOfOrder)))
        var idle = try ticketHandler().exchange(for: TestProfile.request(Self.url))
        #expect(idle.supplied(.unavailable).refusalCode == "exchange-failed")
    }

    @Test(
        "After a secret has left, no weaker scheme follows, whatever the server says of the one that sent it",
        arguments: ["Negotiate", "Negotiate AAAA", "Negotiate oQcwBaADCgEC", "Negotiate TlRMTVNTUAACAAAA"]
    )
    func afterSecret(last: String) throws {
        var profile = try TestProfile.make(schemes: [.negotiate, .basic])
        profile.accounts[0].allowsUnbound = true
        let handler = try ChallengeHandler(still: profile)
        var exchange = handler.exchange(for: try TestProfile.request(Self.url))
        let first = exchange.received(status: 401, fields: TestProfile.fields("Negotiate", "Basic realm=wiki"))
        #expect(first.answer?.value.text.hasPrefix("Negotiate YE") == true)
        let challenge = TestProfile.fields("Negotiate \(try TestChallenge.ntlm())")
        let second = exchange.received(status: 401, fields: challenge)
        #expect(second.answer?.value.text.hasPrefix("Negotiate TlRMTVNTUAAD") == true)
        let third = exchange.received(status: 401, fields: TestProfile.fields(last, "Basic realm=wiki"))
        #expect(third.answer == nil && third.refusalCode != nil, "\(third)")
    }

    @Test("Each scheme answers only with its own kind of secret")
    func kinds() throws {
        let password = Credential.password(TestProfile.secret("p"))
        let hash = Credential.ntHash(SharedSecret(SecretBytes(copying: [UInt8](repeating: 1, count: 16).span)))
        let token = Credential.token(TestProfile.secret("t"))
        for (schemes, credential) in [
            ([.bearer], password), ([.basic, .digest, .ntlm, .negotiate], token), ([.basic, .digest], hash),
            ([.basic, .digest, .ntlm, .bearer], .ticket),
        ] as [([AuthenticationScheme], Credential)] {
            let error = ProfileError.noSchemeForCredential(account: "jdoe", kind: credential.kind)
            #expect(throws: error) { try handler(schemes: schemes, credential: credential) }
        }
        // Only the schemes that can use the secret are tried: a token does not fall into Basic or Digest.
        let mixed = try handler(schemes: [.basic, .digest, .bearer], credential: token)
        var exchange = mixed.exchange(for: try TestProfile.request("https://wiki.acme.example"))
        let fields = TestProfile.fields("Basic realm=x", #"Digest realm=x, nonce=n, qop="auth""#, "Bearer realm=wiki")
        #expect(exchange.received(status: 401, fields: fields).answer?.value.text == "Bearer t")
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
