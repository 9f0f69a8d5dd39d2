import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import OAuth
import Sallyport
import Testing

@testable import ChallengeHandling

/// Tokens that are bound to a key (RFC 9449). What signs is a stand-in here; `ClientMatrixTests` meet a server that verifies.
@Suite struct BoundTokenTests {
    /// The challenge of RFC 9449 section 9.
    private static let nonceWanted =
        #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#
    private static let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    private let api: Origin

    init() throws { api = try Origin(parsing: "https://api.acme.example") }

    private func handler(
        first: Bool = true,
        cleartext: Bool = false,
        placement: TokenPlacement? = nil
    ) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [.bearer])
        let account = Account(name: "api", user: "api", credential: .token(TestProfile.secret(Self.token)))
        let prover = TokenProver(thumbprint: "key") { subject in
            "\(subject.method) \(subject.origin)\(subject.path) \(subject.nonce ?? "-")"
        }
        profile.accounts = [
            .init(
                account,
                sites: ["*.acme.example", "http://proxy.acme.example:3128"],
                schemes: [.bearer],
                allowsCleartext: cleartext,
                sendsTokenFirst: first,
                placement: placement,
                prover: prover
            )
        ]
        return try ChallengeHandler(still: profile)
    }

    private static func response(_ status: Int, _ challenge: String? = nil, nonce: String? = nil) -> (Int, HTTPFields) {
        var fields = challenge.map { TestProfile.fields($0) } ?? HTTPFields()
        if let nonce, let name = HTTPField.Name("DPoP-Nonce") { fields[name] = nonce }
        return (status, fields)
    }

    /// What one request sends of token and proof, with these responses, and how it ended.
    private func sends(
        _ handler: ChallengeHandler,
        to origin: Origin? = nil,
        by route: RequestRoute = .direct,
        body: OutgoingRequest.Body = .none,
        _ responses: (Int, HTTPFields)...
    ) -> (sends: [[String]], end: RequestOutcome?) {
        let request = OutgoingRequest(origin: origin ?? api, target: "/v1?a=b", body: body)
        var authentication = handler.authentication(of: request, by: route)
        var step = authentication.begin()
        var (rest, sends) = (responses[...], [[String]]())
        while case .send(let sending) = step {
            sends.append(sending.fields.map { "\($0.name.rawName): \($0.value)" })
            guard let (status, fields) = rest.popFirst() else { return (sends, nil) }
            step = authentication.received(status: status, fields: fields)
        }
        if case .deliver(let outcome) = step { return (sends, outcome) }
        return (sends, nil)
    }

    private static func sent(_ proof: String) -> [String] { ["Authorization: DPoP \(token)", "DPoP: \(proof)"] }

    @Test("Each send has a proof of its own, for the URL without its query, with the nonce that came last")
    func nonces()
        throws
    {
        let handler = try handler()
        let place = "GET https://api.acme.example/v1"
        let (first, end) = sends(
            handler,
            Self.response(401, Self.nonceWanted, nonce: "n1"),
            Self.response(200, nonce: "n2")
        )
        #expect(first == [Self.sent("\(place) -"), Self.sent("\(place) n1")] && end == .accepted)
        let (second, _) = sends(handler, Self.response(200))
        #expect(second == [Self.sent("\(place) n2")])
        let other = try Origin(parsing: "https://wiki.acme.example")
        let (third, _) = sends(handler, to: other, Self.response(200))
        #expect(third == [Self.sent("GET https://wiki.acme.example/v1 -")])
    }

    @Test("No token goes out without its proof") func alone() throws {
        let handler = try handler()
        #expect(sends(handler, Self.response(200)).end == .accepted)
        let request = OutgoingRequest(origin: api, target: "/v1")
        #expect(handler.answerInAdvance(to: request) == nil)
        #expect(handler.answerRepeated(to: request, target: "/v1") == nil)
    }

    @Test("A server that always wants another nonce gets the token twice, and one that sends none gets it once")
    func endless() throws {
        let wants = (1...5).map { Self.response(401, Self.nonceWanted, nonce: "n\($0)") }
        let (twice, end) = sends(try handler(), wants[0], wants[1], wants[2])
        #expect(twice.count == 2 && end == .withheld(.tokenRefused(account: "api"), by: .origin))
        #expect(sends(try handler(), Self.response(401, Self.nonceWanted), wants[0]).sends.count == 1)
        #expect(
            sends(try handler(), Self.response(401, #"DPoP error="invalid_token""#, nonce: "n"), wants[0]).sends.count
                == 1
        )
    }

    @Test("A challenge is answered with the nonce that it brings, and once more with another one") func challenged()
        throws
    {
        let handler = try handler(first: false)
        let place = "GET https://api.acme.example/v1"
        let (answered, end) = sends(
            handler,
            Self.response(401, #"DPoP algs="ES256""#, nonce: "n1"),
            Self.response(401, Self.nonceWanted, nonce: "n2"),
            Self.response(200, nonce: "n3")
        )
        #expect(answered == [[], Self.sent("\(place) n1"), Self.sent("\(place) n2")] && end == .accepted)
        #expect(sends(handler, Self.response(200)).sends == [Self.sent("\(place) n3")])
        let wants = Self.response(401, Self.nonceWanted, nonce: "n4")
        let endless = sends(try self.handler(first: false), wants, wants, wants, wants)
        #expect(endless.sends.count == 3 && endless.end == .withheld(.tokenRefused(account: "api"), by: .origin))
    }

    @Test("The token never goes out as a bearer token, to a proxy, or over plain http") func refused() throws {
        let bearer = sends(try handler(first: false), Self.response(401, "Bearer"), Self.response(200))
        #expect(bearer.sends == [[]] && bearer.end == .withheld(.noSupportedScheme, by: .origin))
        let both = sends(
            try handler(first: false),
            Self.response(401, #"Bearer, DPoP algs="ES256""#),
            Self.response(200)
        )
        #expect(both.sends.last?.first == "Authorization: DPoP \(Self.token)")
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        let challenge = TestProfile.fields("DPoP", name: .proxyAuthenticate)
        let toProxy = sends(
            try handler(cleartext: true),
            by: .connect(to: proxy),
            (407, challenge),
            Self.response(200)
        )
        #expect(toProxy.sends == [[]])
        let plain = sends(try handler(), to: proxy, Self.response(200))
        #expect(plain.sends == [[]])
    }

    @Test("After a body that is gone nothing is repeated, and the nonce is kept for the next request") func once()
        throws
    {
        let handler = try handler()
        let (only, end) = sends(handler, body: .once, Self.response(401, Self.nonceWanted, nonce: "n1"))
        #expect(only.count == 1 && end == .withheld(.bodySpent, by: .origin))
        #expect(sends(handler, Self.response(200)).sends == [Self.sent("GET https://api.acme.example/v1 n1")])
    }

    @Test("It goes into no other field") func placed() {
        #expect(throws: ProfileError.invalidPlacement(account: "api", .boundToken)) {
            try handler(placement: TokenPlacement(.field("X-API-Key")))
        }
    }
}
