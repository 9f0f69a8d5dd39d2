import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

@Suite struct RequestAuthenticationTests {
    let wiki: Origin
    let proxy: Origin
    let handler: ChallengeHandler
    let clock = ManualClock()

    init() throws {
        wiki = try Origin(parsing: "https://wiki.acme.example")
        proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        var profile = try TestProfile.make()
        profile.accounts[0].allowsCleartext = true
        profile.accounts[0].allowsUnbound = true
        handler = ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock)
    }

    func sending(_ step: RequestStep, _ location: SourceLocation = #_sourceLocation) throws -> RequestSending {
        guard case .send(let sending) = step else {
            throw Unexpected(what: "\(step)", location)
        }
        return sending
    }

    struct Unexpected: Error {
        let what: String

        init(what: String, _ location: SourceLocation) {
            self.what = what
            Issue.record("\(what)", sourceLocation: location)
        }
    }

    func outcome(_ step: RequestStep) -> RequestOutcome? {
        guard case .deliver(let outcome) = step else { return nil }
        return outcome
    }

    func field(_ sending: RequestSending, _ name: HTTPField.Name = .authorization) -> String? {
        sending.fields.first { $0.name == name }?.value
    }

    /// One request that is answered with `challenge` once, and then accepted. Returns the number of sends.
    func trips(_ target: String, challenge: String) throws -> Int {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: target))
        var sending = try sending(authentication.begin())
        var trips = 1
        if field(sending) == nil {
            sending = try self.sending(
                authentication.received(status: 401, fields: TestProfile.fields(challenge))
            )
            trips += 1
        }
        #expect(field(sending) != nil)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
        return trips
    }

    @Test("Basic answers in advance below the path that was accepted") func basicInAdvance() throws {
        #expect(try trips("/docs/a", challenge: "Basic realm=x") == 2)
        #expect(try trips("/docs/b", challenge: "Basic realm=x") == 1)
        #expect(try trips("/docs/deep/c", challenge: "Basic realm=x") == 1)
        #expect(try trips("/other", challenge: "Basic realm=x") == 2)
        #expect(try trips("/other", challenge: "Basic realm=x") == 1)
    }

    @Test("Digest costs one trip after the first, with a count of its own each time") func digestInAdvance() throws {
        let challenge = #"Digest realm="x", nonce="abc", qop="auth", algorithm=SHA-256"#
        #expect(try trips("/a", challenge: challenge) == 2)
        var counts: Set<String> = []
        for _ in 0..<3 {
            var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/b"))
            let value = try #require(field(try sending(authentication.begin())))
            counts.insert(String(try #require(value.split(separator: ", ").first { $0.hasPrefix("nc=") })))
            #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
        }
        #expect(counts == ["nc=00000002", "nc=00000003", "nc=00000004"])
    }

    @Test("A stale nonce is answered again, and the new nonce is kept") func staleInAdvance() throws {
        _ = try trips("/a", challenge: #"Digest realm="x", nonce="abc", qop="auth""#)
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/a"))
        _ = try sending(authentication.begin())
        let stale = TestProfile.fields(#"Digest realm="x", nonce="def", qop="auth", stale=true"#)
        let again = try sending(authentication.received(status: 401, fields: stale))
        #expect(field(again)?.contains(#"nonce="def""#) == true)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("A refusal of an answer in advance withholds that path, and other paths still work") func refusedInAdvance()
        throws
    {
        _ = try trips("/docs/a", challenge: "Basic realm=x")
        var forbidden = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/docs/secret"))
        _ = try sending(forbidden.begin())
        let fields = TestProfile.fields("Basic realm=x")
        #expect(
            outcome(forbidden.received(status: 401, fields: fields))
                == .withheld(.credentialsRefused(account: "jdoe"), by: .origin)
        )
        #expect(try trips("/docs/b", challenge: "Basic realm=x") == 1)
        var again = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/docs/secret"))
        #expect(field(try sending(again.begin())) == nil)
        guard case .withheld(.pathWithheld, by: .origin)? = outcome(again.received(status: 401, fields: fields)) else {
            Issue.record("the path is withheld")
            return
        }
    }

    @Test("Proxy and origin both challenge: both answers go out together") func bothParties() throws {
        let plain = try Origin(parsing: "http://proxy.acme.example:3128")
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: plain))
        #expect(try sending(authentication.begin()).fields.isEmpty)
        let byProxy = TestProfile.fields("Basic realm=p", name: .proxyAuthenticate)
        let second = try sending(authentication.received(status: 407, fields: byProxy))
        #expect(field(second, .proxyAuthorization) != nil && field(second) == nil)
        let third = try sending(authentication.received(status: 401, fields: TestProfile.fields("Basic realm=o")))
        #expect(field(third, .proxyAuthorization) != nil && field(third) != nil)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
        var next = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: plain))
        #expect(try sending(next.begin()).fields.count == 2)
    }

    @Test("A 407 from inside a tunnel earns no answer; CONNECT does") func tunnels() throws {
        let fields = TestProfile.fields("Basic realm=p", name: .proxyAuthenticate)
        var inside = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = inside.begin()
        #expect(outcome(inside.received(status: 407, fields: fields)) == .notChallenged)
        var connect = handler.authentication(of: OutgoingRequest(origin: wiki), by: .connect(to: proxy))
        _ = connect.begin()
        let second = try sending(connect.received(status: 407, fields: fields))
        #expect(field(second, .proxyAuthorization) != nil && field(second) == nil)
        #expect(outcome(connect.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("NTLM stays on one connection, sends no body with its first leg, and needs no field afterwards")
    func connectionBound() throws {
        var authentication = handler.authentication(
            of: OutgoingRequest(origin: wiki, method: "POST", body: .repeatable(.bytes([1])))
        )
        _ = authentication.begin()
        let on = ConnectionTraits(id: 7)
        let first = try sending(authentication.received(status: 401, fields: TestProfile.fields("NTLM"), on: on))
        #expect(first.body == .empty && first.connection == .any && !first.expectsContinue)
        let challenge = try TestChallenge.ntlm()
        let second = try sending(
            authentication.received(status: 401, fields: TestProfile.fields("NTLM \(challenge)"), on: on)
        )
        #expect(second.body == .whole && second.connection == .same)
        #expect(outcome(authentication.received(status: 200, fields: [:], on: on)) == .accepted)
        var next = handler.authentication(of: OutgoingRequest(origin: wiki))
        #expect(try sending(next.begin()).fields.isEmpty)
    }

    @Test("A handshake whose connection is lost begins once more on a new one") func lostHandshake() throws {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = authentication.begin()
        _ = authentication.received(status: 401, fields: TestProfile.fields("NTLM"))
        let challenge = try TestChallenge.ntlm()
        var fields = TestProfile.fields("NTLM \(challenge)")
        fields[.connection] = "close"
        let restarted = try sending(authentication.received(status: 401, fields: fields))
        #expect(restarted.fields.isEmpty && restarted.connection == .new)
        _ = authentication.received(status: 401, fields: TestProfile.fields("NTLM"))
        guard
            case .withheld(.exchangeFailed, by: .origin)? = outcome(
                authentication.received(status: 401, fields: fields)
            )
        else {
            Issue.record("the second loss ends the request")
            return
        }
    }

    @Test("A proxy that refuses the next send does not take the origin's answer away") func answerBehindProxy() throws {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: proxy))
        _ = authentication.begin()
        let origin = TestProfile.fields(#"Digest realm="x", nonce="n", qop="auth""#)
        let first = try sending(authentication.received(status: 401, fields: origin))
        #expect(first.authorization != nil && first.proxyAuthorization == nil)
        let asks: HTTPFields = [.proxyAuthenticate: #"Digest realm="p", nonce="n", qop="auth""#]
        // Both have the same password, and it is not proven: the request must not wait for itself.
        let atProxy = try sending(authentication.received(status: 407, fields: asks))
        #expect(atProxy.authorization == nil && atProxy.proxyAuthorization != nil)
        let atOrigin = try sending(authentication.received(status: 401, fields: origin))
        #expect(atOrigin.authorization != nil)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
        // In advance too, where a stale nonce of the proxy is in between.
        var next = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: proxy))
        let advance = try sending(next.begin())
        #expect(advance.authorization != nil && advance.proxyAuthorization != nil)
        let stale: HTTPFields = [.proxyAuthenticate: #"Digest realm="p", nonce="m", qop="auth", stale=true"#]
        let again = try sending(next.received(status: 407, fields: stale))
        #expect(again.authorization != nil && again.proxyAuthorization != nil)
        #expect(outcome(next.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("Basic goes through a proxy that reads it only with the opt-in, also to an https origin") func readByProxy()
        throws
    {
        let handler = try TestProfile.handler(schemes: [.basic])
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: proxy))
        _ = authentication.begin()
        guard
            case .withheld(.cleartext, by: .origin)? = outcome(
                authentication.received(status: 401, fields: TestProfile.fields(#"Basic realm="x""#))
            )
        else {
            Issue.record("the password went out")
            return
        }
    }

    @Test("Where connections close in mid-handshake, Digest answers in place of NTLM") func lostHandshakeBesideDigest()
        throws
    {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = authentication.begin()
        var offer = TestProfile.fields("NTLM", #"Digest realm="x", nonce="n", qop="auth""#)
        offer[.connection] = "close"
        #expect(field(try sending(authentication.received(status: 401, fields: offer)))?.hasPrefix("NTLM ") == true)
        var challenge = TestProfile.fields("NTLM \(try TestChallenge.ntlm())")
        challenge[.connection] = "close"
        #expect(try sending(authentication.received(status: 401, fields: challenge)).fields.isEmpty)
        let digest = try sending(authentication.received(status: 401, fields: offer))
        #expect(field(digest)?.hasPrefix("Digest ") == true && digest.connection == .new)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("A body that can be sent once is not sent a second time") func onceOnly() throws {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, method: "POST", body: .once))
        _ = authentication.begin()
        let step = authentication.received(status: 401, fields: TestProfile.fields("Basic realm=x"))
        #expect(outcome(step) == .withheld(.bodySpent, by: .origin))
    }

    @Test("A body that can be sent once survives a challenge in place of 100 Continue") func onceOnlyWithExpect() throws
    {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, method: "POST", body: .once))
        #expect(try sending(authentication.begin()).expectsContinue)
        let fields = TestProfile.fields("Basic realm=x")
        let second = try sending(authentication.received(status: 401, fields: fields, bodyWasSent: false))
        #expect(field(second) != nil && second.body == .whole)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("A proxy's Digest answer has a new count for each send of one request") func proxyCounts() throws {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: proxy))
        _ = authentication.begin()
        let challenge = #"Digest realm="p", nonce="abc", qop="auth""#
        let byProxy = TestProfile.fields(challenge, name: .proxyAuthenticate)
        let second = try sending(authentication.received(status: 407, fields: byProxy))
        let third = try sending(authentication.received(status: 401, fields: TestProfile.fields("Basic realm=o")))
        #expect(field(second, .proxyAuthorization)?.contains("nc=00000001") == true)
        #expect(field(third, .proxyAuthorization)?.contains("nc=00000002") == true && field(third) != nil)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("After NTLM at a proxy the origin is answered on the connection that the proxy knows") func heldConnection()
        throws
    {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: proxy))
        _ = authentication.begin()
        let on = ConnectionTraits(id: 3, security: ConnectionTraits.Security.none)
        let offer = TestProfile.fields("NTLM", name: .proxyAuthenticate)
        _ = try sending(authentication.received(status: 407, fields: offer, on: on))
        let challenge = TestProfile.fields("NTLM \(try TestChallenge.ntlm())", name: .proxyAuthenticate)
        #expect(try sending(authentication.received(status: 407, fields: challenge, on: on)).connection == .same)
        let byOrigin = authentication.received(status: 401, fields: TestProfile.fields("Basic realm=o"), on: on)
        let last = try sending(byOrigin)
        #expect(last.connection == .same && last.fields.count == 1)
    }

    @Test("A party that offers another scheme than before has not refused the password") func changedScheme() throws {
        for _ in 0..<2 { _ = try trips("/docs/a", challenge: "Basic realm=x") }
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/docs/a"))
        #expect(field(try sending(authentication.begin()))?.hasPrefix("Basic ") == true)
        let fields = TestProfile.fields(#"Digest realm="x", nonce="n", qop="auth""#)
        let again = try sending(authentication.received(status: 401, fields: fields))
        #expect(field(again)?.hasPrefix("Digest ") == true)
        #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
    }

    @Test("A Digest challenge of another realm has not judged the answer in advance") func otherRealm() throws {
        func challenge(_ realm: String) -> String {
            #"Digest realm="\#(realm)", nonce="\#(realm)", qop="auth", algorithm=SHA-256"#
        }
        #expect(try trips("/docs/a", challenge: challenge("docs")) == 2)
        for target in ["/hr/a", "/hr/b"] {
            var authentication = handler.authentication(of: OutgoingRequest(origin: wiki, target: target))
            var sending = try sending(authentication.begin())
            if target == "/hr/a" {
                #expect(field(sending)?.contains(#"realm="docs""#) == true)
                let asked = TestProfile.fields(challenge("hr"))
                sending = try self.sending(authentication.received(status: 401, fields: asked))
            }
            #expect(field(sending)?.contains(#"realm="hr""#) == true)
            #expect(outcome(authentication.received(status: 200, fields: [:])) == .accepted)
        }
        #expect(try trips("/docs/a", challenge: challenge("docs")) == 1)
    }

    @Test("A 401 to CONNECT is the proxy's own, and proves no password") func refusedTunnel() throws {
        func connect(_ status: Int) throws {
            var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .connect(to: proxy))
            var sending = try sending(authentication.begin())
            if field(sending, .proxyAuthorization) == nil {
                let asked = TestProfile.fields("Basic realm=x", name: .proxyAuthenticate)
                sending = try self.sending(authentication.received(status: 407, fields: asked))
            }
            #expect(field(sending, .proxyAuthorization) != nil)
            _ = authentication.received(status: status, fields: [:])
        }
        try connect(401)
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .connect(to: proxy))
        #expect(field(try sending(authentication.begin()), .proxyAuthorization) == nil)
        _ = authentication.received(status: 503, fields: [:])
        try connect(200)
        authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .connect(to: proxy))
        #expect(field(try sending(authentication.begin()), .proxyAuthorization) != nil)
    }

    @Test("A proxy gets the absolute form of every target", arguments: [("*", ""), ("/a?b", "/a?b"), ("?b", "/?b")])
    func absoluteForm(target: String, path: String) throws {
        let request = OutgoingRequest(origin: try Origin(parsing: "http://wiki.acme.example"), target: target)
        #expect(request.toProxy(by: .forwarded(by: proxy))?.target == "http://wiki.acme.example\(path)")
    }

    @Test("A party that asks for ever is left after a bound") func endless() throws {
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki))
        var step = authentication.begin()
        var sends = 0
        while case .send = step {
            sends += 1
            #expect(sends <= RequestLimits.sends)
            guard sends <= RequestLimits.sends else { return }
            let fields = TestProfile.fields(#"Digest realm="x", nonce="\(sends)", qop="auth", stale=true"#)
            step = authentication.received(status: 401, fields: fields)
        }
        guard case .withheld? = outcome(step) else {
            Issue.record("\(step)")
            return
        }
    }

    @Test("An answer in advance that must wait goes on after its ticket") func advanceWaits() throws {
        _ = try trips("/a", challenge: "Basic realm=x")
        // After a quiet time one request goes first.
        clock.advance(by: .seconds(1))
        var first = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/a"))
        #expect(field(try sending(first.begin())) != nil)
        var second = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/a"))
        guard case .wait = second.begin() else {
            Issue.record("the first has no result yet")
            return
        }
        #expect(outcome(first.received(status: 200, fields: [:])) == .accepted)
        #expect(field(try sending(second.resume())) != nil)
    }

    @Test("A request that waits goes on after its ticket") func waiting() throws {
        var first = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = first.begin()
        _ = try sending(first.received(status: 401, fields: TestProfile.fields("Basic realm=x")))
        var second = handler.authentication(of: OutgoingRequest(origin: wiki))
        _ = second.begin()
        guard case .wait = second.received(status: 401, fields: TestProfile.fields("Basic realm=x")) else {
            Issue.record("the password is not proven yet")
            return
        }
        #expect(outcome(first.received(status: 200, fields: [:])) == .accepted)
        #expect(field(try sending(second.resume())) != nil)
    }
}
