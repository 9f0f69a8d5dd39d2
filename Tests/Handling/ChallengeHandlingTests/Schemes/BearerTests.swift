import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// Tokens that are sent as they are (RFC 6750).
@Suite struct BearerTests {
    static let challenge = TestProfile.fields(#"Bearer realm="api""#)
    let api: Origin

    init() throws { api = try Origin(parsing: "https://api.acme.example") }

    private func handler(token: String = "t0k.en-_~+/=", first: Bool = false, cleartext: Bool = false) throws
        -> ChallengeHandler
    {
        var profile = try TestProfile.make(schemes: [.bearer])
        let account = Account(name: "api", user: "api", credential: .token(TestProfile.secret(token)))
        profile.accounts = [
            .init(
                account,
                sites: ["*.acme.example", "http://proxy.acme.example:3128"],
                allowsCleartext: cleartext,
                sendsTokenFirst: first
            )
        ]
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
    }

    @Test("A token that goes first goes to http only where the account allows clear text", arguments: [false, true])
    func firstOverHTTP(cleartext: Bool) throws {
        let plain = try Origin(parsing: "http://proxy.acme.example:3128")
        let handler = try handler(first: true, cleartext: cleartext)
        var authentication = handler.authentication(of: OutgoingRequest(origin: plain, target: "/v1"))
        guard case .send(let sending) = authentication.begin() else {
            Issue.record("the request waits")
            return
        }
        #expect((sending.authorization != nil) == cleartext)
    }

    /// The values that one request sends, with these responses.
    private func values(
        _ handler: ChallengeHandler,
        at target: String = "/v1",
        by route: RequestRoute = .direct,
        _ responses: (Int, HTTPFields)...
    ) -> [String?] {
        var authentication = handler.authentication(of: OutgoingRequest(origin: api, target: target), by: route)
        var step = authentication.begin()
        var rest = responses[...]
        var values: [String?] = []
        while case .send(let sending) = step {
            values.append(sending.authorization?.value)
            guard let (status, fields) = rest.popFirst() else { break }
            step = authentication.received(status: status, fields: fields)
        }
        return values
    }

    @Test("A challenge is answered, and the requests below its path in advance") func answered() throws {
        let handler = try handler()
        let token = "Bearer t0k.en-_~+/="
        #expect(values(handler, (401, Self.challenge), (200, [:])) == [nil, token])
        #expect(values(handler, at: "/v2", (200, [:])) == [token])
    }

    @Test("With in-advance the first request has the token, on every path") func first() throws {
        let handler = try handler(first: true)
        #expect(values(handler, at: "/v1", (200, [:])) == ["Bearer t0k.en-_~+/="])
        #expect(values(handler, at: "/other", (200, [:])) == ["Bearer t0k.en-_~+/="])
    }

    @Test("A token goes out without a driver where a driver sent it, and a driver takes over what is refused")
    func alone() throws {
        let handler = try handler(first: true)
        let request = OutgoingRequest(origin: api, target: "/v1")
        #expect(handler.answerInAdvance(to: request) == nil, "nothing is known of the party")
        #expect(values(handler, (200, [:])).count == 1)
        let alone = try #require(handler.answerInAdvance(to: request))
        #expect(alone.sending.authorization?.value == "Bearer t0k.en-_~+/=")
        #expect(handler.answerRepeated(to: request, target: "/other?q")?.sending == alone.sending)
        // In this form the request goes to a proxy, over plain http.
        #expect(handler.answerRepeated(to: request, target: "https://api.acme.example/v1") == nil)
        let toProxy = OutgoingRequest(like: request, method: "GET", target: "https://api.acme.example/v1", body: .none)
        #expect(handler.answerInAdvance(to: toProxy) == nil)
        alone.sendHasBegun()
        #expect(alone.isAccepted(status: 200, fields: [:], isPassedOn: false))
        var driver = handler.authentication(of: request)
        driver.beginSent(carrying: alone)
        guard case .deliver(let outcome) = driver.received(status: 401, fields: Self.challenge) else {
            Issue.record("the token goes out again")
            return
        }
        #expect(outcome == .withheld(.tokenRefused(account: "api"), by: .origin))
    }

    @Test("Without in-advance a token goes out alone below the paths where it was accepted, and not at http")
    func aloneBelow() throws {
        let handler = try handler()
        #expect(values(handler, at: "/docs/a", (401, Self.challenge), (200, [:])).count == 2)
        for (target, isAnswered) in [("/docs/b", true), ("/docs/b/c?/e", true), ("/other", false), ("/doc", false)] {
            let request = OutgoingRequest(origin: api, target: target)
            #expect((handler.answerInAdvance(to: request) != nil) == isAnswered, "\(target)")
            #expect((handler.answerRepeated(to: request, target: target) != nil) == isAnswered, "\(target)")
        }
        let plain = OutgoingRequest(origin: try Origin(parsing: "http://api.acme.example"), target: "/docs/b")
        #expect(handler.answerInAdvance(to: plain) == nil)
    }

    @Test(
        "A refused token is sent once a request, also if the party sends no challenge, and to other pages as before",
        arguments: [true, false]
    )
    func refused(withChallenge: Bool) throws {
        let handler = try handler(first: true)
        let token = "Bearer t0k.en-_~+/="
        let fields = withChallenge ? TestProfile.fields(#"Bearer error="invalid_token""#) : HTTPFields()
        for path in ["/v1", "/v1", "/v2"] { #expect(values(handler, at: path, (401, fields), (200, [:])) == [token]) }
        #expect(values(handler, at: "/v2", (200, [:])) == [token])
        let space = ProtectionSpace(origin: api, path: "/v1", kind: .http(schemes: [.bearer], party: .origin))
        #expect(handler.canHandle(space) == .yes)
    }

    @Test("A refused token is called a token", arguments: [true, false]) func words(first: Bool) throws {
        let handler = try handler(first: first)
        var authentication = handler.authentication(of: OutgoingRequest(origin: api, target: "/v1"))
        _ = authentication.begin()
        var step = authentication.received(status: 401, fields: Self.challenge)
        if !first { step = authentication.received(status: 401, fields: Self.challenge) }
        guard case .deliver(.withheld(let refusal, by: .origin)) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(refusal == .tokenRefused(account: "api") && refusal.code == "token-refused")
        #expect(refusal.description.contains("token of 'api'") && !refusal.description.contains("password"))
    }

    @Test("A missing permission (403) is no refusal") func forbidden() throws {
        let handler = try handler(first: true)
        let fields = TestProfile.fields(#"Bearer error="insufficient_scope""#)
        #expect(values(handler, (403, fields)) == ["Bearer t0k.en-_~+/="])
        #expect(values(handler, (200, [:])) == ["Bearer t0k.en-_~+/="])
    }

    @Test("A new token takes the place of a refused one at once") func replaced() throws {
        let handler = try handler(first: true)
        _ = values(handler, (401, Self.challenge))
        var profile = handler.compiled.profile
        profile.accounts[0].account = Account(name: "api", user: "api", credential: .token(TestProfile.secret("new")))
        let next = ChallengeHandler(try CompiledProfile(profile, at: 0), succeeding: handler)
        #expect(values(next, (200, [:])) == ["Bearer new"])
    }

    @Test("Not over plain http, and not through a proxy that reads it, unless the account says so")
    func cleartext() throws {
        let proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        #expect(values(try handler(first: true), by: .forwarded(by: proxy), (200, [:])) == [nil])
        #expect(
            values(try handler(first: true, cleartext: true), by: .forwarded(by: proxy), (200, [:])).first != .some(nil)
        )
        #expect(values(try handler(), by: .forwarded(by: proxy), (401, Self.challenge)) == [nil])
    }

    @Test("No other site gets it") func otherSites() throws {
        let handler = try handler(first: true)
        var authentication = handler.authentication(
            of: OutgoingRequest(origin: try Origin(parsing: "https://acme.example.evil.example"), target: "/")
        )
        guard case .send(let sending) = authentication.begin() else {
            Issue.record("it waits")
            return
        }
        #expect(sending.fields.isEmpty)
    }

    @Test("A token that no field may hold is not sent", arguments: ["", "a b", "a\r\nX-Evil: b", "é"])
    func unusable(token: String) throws {
        #expect(values(try handler(token: token, first: true), (401, Self.challenge)) == [nil])
    }
}
