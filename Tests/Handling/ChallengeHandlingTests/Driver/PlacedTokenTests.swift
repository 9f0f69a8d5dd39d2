import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import LiveServers
import Sallyport
import Testing

@testable import ChallengeHandling

/// Tokens that go with each request, besides what another account answers.
@Suite struct PlacedTokenTests {
    private static let token = "k3y/of+maps"
    /// "jdoe:Correct-Horse".
    private static let basic = "Basic amRvZTpDb3JyZWN0LUhvcnNl"
    private let wiki: Origin

    init() throws { wiki = try Origin(parsing: "https://wiki.acme.example") }

    private func handler(
        _ placement: TokenPlacement = .init(.field("X-API-Key")),
        sites: [String] = ["*.acme.example", "http://proxy.acme.example:3128"],
        cleartext: Bool = false,
        besides: Bool = true,
        observer: EventObserver? = nil
    ) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [.basic, .digest])
        if besides {
            profile.accounts[0].account = TestProfile.account("jdoe", domain: nil)
        } else {
            profile.accounts = []
        }
        let account = Account(name: "key", user: "key", credential: .token(TestProfile.secret(Self.token)))
        profile.accounts.append(.init(account, sites: sites, allowsCleartext: cleartext, placement: placement))
        return try ChallengeHandler(still: profile, observer: observer)
    }

    private func field(_ name: String, _ sending: RequestSending) -> String? {
        sending.fields.first { $0.name.canonicalName == name.lowercased() }?.value
    }

    /// The sends of one request, with these responses, and how it ended.
    private func sends(
        _ handler: ChallengeHandler,
        to origin: Origin? = nil,
        at target: String = "/v1",
        by route: RequestRoute = .direct,
        _ responses: (Int, HTTPFields)...
    ) -> (sends: [RequestSending], end: RequestOutcome?) {
        let request = OutgoingRequest(origin: origin ?? wiki, target: target)
        var authentication = handler.authentication(of: request, by: route)
        var step = authentication.begin()
        var (rest, sends) = (responses[...], [RequestSending]())
        while case .send(let sending) = step {
            sends.append(sending)
            guard let (status, fields) = rest.popFirst() else { return (sends, nil) }
            step = authentication.received(status: status, fields: fields)
        }
        if case .deliver(let outcome) = step { return (sends, outcome) }
        return (sends, nil)
    }

    @Test("The token is in each send, and the answer of the web tier beside it") func together() throws {
        let challenge = TestProfile.fields(#"Basic realm="tier""#)
        let (sends, end) = sends(try handler(), (401, challenge), (200, [:]))
        #expect(sends.map { field("X-API-Key", $0) } == [Self.token, Self.token] && end == .accepted)
        #expect(sends.map { field("Authorization", $0) } == [nil, Self.basic])
    }

    @Test("Esri's field has the word Bearer before the token, and the Referer goes along") func esri() throws {
        let placement = TokenPlacement(.field("X-Esri-Authorization"), referer: "https://app.acme.example")
        let (sends, _) = sends(try handler(placement), (200, [:]))
        #expect(sends.map { field("X-Esri-Authorization", $0) } == ["Bearer \(Self.token)"])
        #expect(sends.map { field("Referer", $0) } == ["https://app.acme.example"])
    }

    @Test("A parameter is in the target that Digest signs, and no event has it") func digest() throws {
        let events = EventRecorder()
        let handler = try handler(.init(.query("key")), observer: events.observer)
        let challenge = TestProfile.fields(#"Digest realm="tier", nonce="n", qop="auth""#)
        let (sends, end) = sends(handler, at: "/v1?a=b", (401, challenge), (200, [:]))
        let sent = "/v1?a=b&key=k3y%2Fof%2Bmaps"
        #expect(sends.map { $0.target("/v1?a=b") } == [sent, sent] && end == .accepted)
        #expect(field("Authorization", try #require(sends.last))?.contains(#"uri="\#(sent)""#) == true)
        #expect(events.codes.contains("token") && !events.dumped.contains("k3y"))
        let lines = events.all.map { "\($0.content)" }
        #expect(lines.contains("the token of 'key' goes along in the query parameter key"))
    }

    @Test(
        "Not to another origin, another path, or plain http; there with clear text alone, and not what a proxy takes for its own"
    )
    func elsewhere() throws {
        let (other, plain) = try (
            Origin(parsing: "https://acme.example.evil.example"), Origin(parsing: "http://proxy.acme.example:3128")
        )
        let handler = try handler(sites: ["wiki.acme.example/api/", "http://proxy.acme.example:3128"])
        func isSent(_ handler: ChallengeHandler, _ origin: Origin, _ target: String, by route: RequestRoute = .direct)
            -> Bool
        {
            sends(handler, to: origin, at: target, by: route, (200, [:])).sends.contains { $0.fields.count > 0 }
        }
        #expect(isSent(handler, wiki, "/api/v1") && !isSent(handler, wiki, "/") && !isSent(handler, wiki, "/api/../x"))
        #expect(!isSent(handler, other, "/api/v1") && !isSent(handler, plain, "/"))
        let everywhere = try self.handler(cleartext: true)
        #expect(isSent(everywhere, plain, "/") && isSent(everywhere, plain, "/", by: .forwarded(by: plain)))
        let proxyField = try self.handler(.init(.field("Proxy-Authorization")), cleartext: true)
        #expect(isSent(proxyField, wiki, "/") && !isSent(proxyField, plain, "/", by: .forwarded(by: plain)))
        #expect(!isSent(everywhere, wiki, "/", by: .connect(to: plain)))
    }

    @Test(
        "Where no account answers, a challenge for tokens or without a scheme that is known refuses the token",
        arguments: [
            (nil, true), (#"Key realm="maps""#, true), (#"Bearer error="invalid_token""#, true),
            (#"Basic realm="tier""#, false), ("Negotiate", false),
        ] as [(String?, Bool)]
    )
    func refused(challenge: String?, isOfToken: Bool) throws {
        let fields = challenge.map { TestProfile.fields($0) } ?? [:]
        let (sends, end) = sends(try handler(besides: false), (401, fields))
        #expect(sends.count == 1)
        guard case .withheld(let refusal, by: .origin) = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect((refusal == .tokenRefused(account: "key")) == isOfToken, "\(refusal)")
    }

    @Test("An account that answers does not know of the token, nor does a summary or the key of its connections")
    func apart() throws {
        let (with, without) = (try handler(), try TestProfile.handler(schemes: [.basic]))
        let space = ProtectionSpace(origin: wiki, path: "/", kind: .http(schemes: [.basic], party: .origin))
        #expect(with.account(for: space)?.name == "jdoe" && with.summary.accounts.map(\.name).contains("key") == false)
        #expect(without.placedToken(for: OutgoingRequest(origin: wiki), by: .direct) == nil && !without.placesTokens)
    }
}
