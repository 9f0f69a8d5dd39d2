import AllowedSites
import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Negotiate
import Sallyport
import Testing

@testable import ChallengeHandling

/// Parties that offer a scheme, and answer its first message with the same offer again: Squid does so with a helper for Kerberos and a
/// client without a ticket that it takes.
@Suite struct DeclinedSchemeTests {
    /// A party that declines some schemes and accepts the others.
    struct Party {
        var offers: [String]
        var declines: Set<String>
        var status = 401
        /// The token of Negotiate in a response that declines it; `nil` for the offer alone.
        var rejection: String?
        /// Whether the first challenge has the token, too.
        var rejectsAtOnce = false
        var closes = false

        private var name: HTTPField.Name { status == 407 ? .proxyAuthenticate : .wwwAuthenticate }

        func response(to answer: String?) throws -> (status: Int, fields: HTTPFields) {
            guard let answer, let scheme = answer.split(separator: " ").first.map(String.init),
                !declines.contains(scheme)
            else {
                let token = answer?.hasPrefix("Negotiate") ?? rejectsAtOnce ? rejection : nil
                return (status, offer(with: token))
            }
            // "NTLMSSP", a zero, and the first byte of the type: 1 is B.
            guard scheme == "NTLM", answer.hasPrefix("NTLM TlRMTVNTUAAB") else { return (200, [:]) }
            return (status, TestProfile.fields("NTLM \(try TestChallenge.ntlm())", name: name))
        }

        private func offer(with token: String?) -> HTTPFields {
            var fields = HTTPFields()
            for challenge in offers {
                let value = token.map { challenge == "Negotiate" ? "\(challenge) \($0)" : challenge } ?? challenge
                fields.append(HTTPField(name: name, value: value))
            }
            if closes { fields[.connection] = "close" }
            return fields
        }
    }

    struct Run {
        var schemes: [String] = []
        var connections: [RequestSending.Connection] = []
        var outcome: RequestOutcome?

        var refusal: Refusal? {
            guard case .withheld(let refusal, by: _)? = outcome else { return nil }
            return refusal
        }
    }

    static let basic = "Basic realm=x", digest = #"Digest realm="x", nonce="n", qop="auth""#
    func handler(
        _ schemes: [AuthenticationScheme],
        allowsCleartext: Bool = true,
        allowsDowngrade: Bool = false
    ) throws -> ChallengeHandler {
        let sites = ["*.acme.example", "http://*.acme.example", "http://proxy.acme.example:3128"]
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites.joined(separator: "\n"), name: "test"),
            schemes: schemes,
            accounts: [
                .init(
                    TestProfile.account("jdoe"),
                    sites: sites,
                    allowsCleartext: allowsCleartext,
                    allowsDowngrade: allowsDowngrade,
                    allowsUnbound: true
                )
            ]
        )
        return try ChallengeHandler(still: profile)
    }

    func run(_ party: Party, _ handler: ChallengeHandler, by route: RequestRoute = .direct, http: Bool = false) throws
        -> Run
    {
        try Self.run(handler, by: route, http: http) { try party.response(to: $0) }
    }

    /// Runs a request at a party that answers each field of ours with `respond`.
    static func run(
        _ handler: ChallengeHandler,
        by route: RequestRoute,
        http: Bool,
        _ respond: (String?) throws -> (status: Int, fields: HTTPFields)
    ) throws -> Run {
        let origin = try Origin(parsing: http ? "http://wiki.acme.example" : "https://wiki.acme.example")
        var authentication = handler.authentication(of: OutgoingRequest(origin: origin), by: route)
        var step = authentication.begin()
        var run = Run()
        while case .send(let sending) = step {
            let field = sending.fields.first?.value
            run.schemes.append(field?.split(separator: " ").first.map(String.init) ?? "-")
            run.connections.append(sending.connection)
            let (status, fields) = try respond(field)
            step = authentication.received(status: status, fields: fields, on: ConnectionTraits(id: 1))
        }
        if case .deliver(let outcome) = step { run.outcome = outcome }
        return run
    }

    /// What the account may use and the party offers, what it declines, and the messages until one is accepted.
    static let cases: [([AuthenticationScheme], [String], Set<String>, [String])] = [
        ([.negotiate, .basic], ["Negotiate", basic], ["Negotiate"], ["-", "Negotiate", "Negotiate", "Basic"]),
        ([.negotiate, .digest], ["Negotiate", digest], ["Negotiate"], ["-", "Negotiate", "Negotiate", "Digest"]),
        ([.negotiate, .ntlm], ["Negotiate", "NTLM"], ["Negotiate"], ["-", "Negotiate", "Negotiate", "NTLM", "NTLM"]),
        ([.ntlm, .basic], ["NTLM", basic], ["NTLM"], ["-", "NTLM", "Basic"]),
        ([.ntlm, .digest, .basic], [basic, digest, "NTLM"], ["NTLM"], ["-", "NTLM", "Digest"]),
        (
            [.negotiate, .ntlm, .basic], [basic, "NTLM", "Negotiate"], ["Negotiate", "NTLM"],
            ["-", "Negotiate", "Negotiate", "NTLM", "Basic"]
        ),
        // The account's order counts.
        ([.basic, .ntlm], ["NTLM", basic], ["NTLM"], ["-", "Basic"]),
    ]

    @Test(
        "The next of the account's schemes answers, at origins and proxies",
        arguments: cases,
        ["origin", "plain", "tunnel"]
    )
    func next(_ item: ([AuthenticationScheme], [String], Set<String>, [String]), _ place: String) throws {
        let (schemes, offers, declines, expected) = item
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let route: RequestRoute =
            place == "origin" ? .direct : place == "plain" ? .forwarded(by: proxy) : .connect(to: proxy)
        let party = Party(offers: offers, declines: declines, status: place == "origin" ? 401 : 407)
        let run = try run(party, handler(schemes), by: route)
        #expect(run.schemes == expected)
        #expect(run.outcome == .accepted)
        // Nothing is known of a connection on which a handshake was declined.
        let first = try #require(
            run.schemes.firstIndex { $0 != "-" && $0 != run.schemes[1] } ?? (expected.count == 2 ? 1 : nil)
        )
        #expect(run.connections[first] == (expected.count == 2 ? .any : .new))
    }

    @Test(
        "A refused password is told with what became of the schemes before it",
        arguments: cases.filter { $0.0.first != .basic && $0.3.last != "NTLM" }
    )
    func refused(_ item: ([AuthenticationScheme], [String], Set<String>, [String])) throws {
        let (schemes, offers, declines, messages) = item
        let last = try #require(messages.last)
        let names = Set(declines.map { $0.lowercased() })
        let run = try run(Party(offers: offers, declines: declines.union([last])), handler(schemes))
        #expect(run.schemes == messages)
        guard case .credentialsRefused("jdoe", let declined)? = run.refusal else {
            Issue.record("\(String(describing: run.refusal))")
            return
        }
        #expect(Set(declined.map { "\($0.scheme)" }) == names)
        let text = run.refusal?.description ?? ""
        #expect(
            text.hasPrefix("the password of 'jdoe' was refused: update it (before it, \(messages[1].lowercased()): ")
        )
        #expect(names.allSatisfy { text.contains("\($0): ") })
    }

    /// Tokens with `negState` reject (RFC 4178 section 4.2.2): alone, with the choice of NTLM, and with a token.
    static let rejections = ["oQcwBaADCgEC", "oRUwE6ADCgECoQwGCisGAQQBgjcCAgo=", "oQ4wDKADCgECogUEA2FiYw=="]

    @Test(
        "A reject declines Negotiate like an offer without a token, kept or closed, in the first challenge or later",
        arguments: rejections,
        [(401, false), (401, true), (407, false), (407, true)]
    )
    func rejected(_ token: String, _ place: (status: Int, closes: Bool)) throws {
        for rejectsAtOnce in [false, true] {
            var party = Party(offers: ["Negotiate", Self.basic], declines: ["Negotiate"], status: place.status)
            (party.rejection, party.closes, party.rejectsAtOnce) = (token, place.closes, rejectsAtOnce)
            let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
            let route: RequestRoute = place.status == 401 ? .direct : .connect(to: proxy)
            let run = try run(party, handler([.negotiate, .basic]), by: route)
            #expect(run.schemes == (rejectsAtOnce ? ["-", "Basic"] : ["-", "Negotiate", "Basic"]))
            #expect(run.outcome == .accepted)
            // Nothing else is allowed: the error says so, and nothing is sent in circles.
            let alone = try self.run(party, handler([.negotiate]), by: route)
            #expect(alone.refusal == .exchangeFailed(account: "jdoe", .negotiation(.rejected)))
        }
    }

    @Test("Over plain http a reject gets no password by Basic from who has accepted Negotiate")
    func rejectedAfterSuccess() throws {
        let handler = try handler([.negotiate, .basic])
        let offers = ["Negotiate", Self.basic]
        #expect(try run(Party(offers: offers, declines: []), handler, http: true).outcome == .accepted)
        for rejectsAtOnce in [false, true] {
            var party = Party(offers: offers, declines: ["Negotiate"])
            (party.rejection, party.rejectsAtOnce) = (Self.rejections[0], rejectsAtOnce)
            #expect(try !run(party, handler, http: true).schemes.contains("Basic"))
        }
    }

    @Test("If all are declined, the error names each with its reason") func allDeclined() throws {
        let party = Party(offers: ["Negotiate", "NTLM"], declines: ["Negotiate", "NTLM"])
        let refusal = try #require(run(party, handler([.negotiate, .ntlm])).refusal)
        #expect(refusal.code == "exchange-failed")
        #expect(refusal.description.contains("negotiate: ") && refusal.description.contains("ntlm: "))
        #expect(!refusal.description.contains("Correct-Horse"))
    }

    @Test("A scheme that may not answer here is named beside the declined one") func forbidden() throws {
        let party = Party(offers: ["NTLM", Self.basic], declines: ["NTLM"])
        let run = try run(party, handler([.ntlm, .basic], allowsCleartext: false), http: true)
        #expect(!run.schemes.contains("Basic"))
        let text = try #require(run.refusal?.description)
        #expect(text.contains("ntlm: ") && text.contains("cleartext: true"))
    }

    @Test("One scheme alone is tried once more, as before") func alone() throws {
        let run = try run(Party(offers: ["NTLM"], declines: ["NTLM"]), handler([.ntlm, .basic]))
        #expect(run.schemes == ["-", "NTLM", "-", "NTLM"])
        #expect(run.refusal == .exchangeFailed(account: "jdoe", .handshakeLost))
    }

    @Test(
        "Over plain http a party that has accepted NTLM gets no password by Basic, unless the account allows it",
        arguments: [false, true]
    )
    func downgrade(isAllowed: Bool) throws {
        let handler = try handler([.ntlm, .basic], allowsDowngrade: isAllowed)
        let offers = ["NTLM", Self.basic]
        #expect(try run(Party(offers: offers, declines: []), handler, http: true).schemes == ["-", "NTLM", "NTLM"])
        let later = try run(Party(offers: offers, declines: ["NTLM"]), handler, http: true)
        #expect(later.schemes.contains("Basic") == isAllowed)
        #expect(later.refusal == (isAllowed ? nil : .exchangeFailed(account: "jdoe", .handshakeLost)))
    }

    @Test("A declined scheme is no bad log-on") func budget() throws {
        let handler = try handler([.ntlm, .basic])
        for _ in 0..<20 {
            #expect(try run(Party(offers: ["NTLM"], declines: ["NTLM"]), handler).refusal != nil)
        }
        #expect(try run(Party(offers: [Self.basic], declines: []), try self.handler([.basic])).outcome == .accepted)
        #expect(try run(Party(offers: ["NTLM"], declines: []), handler).outcome == .accepted)
    }
}
