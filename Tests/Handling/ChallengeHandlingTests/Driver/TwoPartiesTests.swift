import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// Requests whose proxy and origin get one password, which a directory counts once for both.
@Suite struct TwoPartiesTests {
    let wiki: Origin
    let proxy: Origin
    let clock = ManualClock()

    init() throws {
        wiki = try Origin(parsing: "http://wiki.acme.example")
        proxy = try Origin(parsing: "http://proxy.acme.example:3128")
    }

    private func handler(isOneAtATime: Bool) throws -> ChallengeHandler {
        var profile = try TestProfile.make(schemes: [.digest, .basic])
        profile.sites = try .init(parsing: TestProfile.sites + "\nhttp://wiki.acme.example", name: "test")
        profile.accounts[0].sites.append("http://wiki.acme.example")
        profile.accounts[0].allowsCleartext = true
        profile.lockout.isOneAtATime = isOneAtATime
        return ChallengeHandler(try CompiledProfile(profile, at: 0), clock: clock)
    }

    /// Sends one request, which both parties challenge where it has no answer for them. Returns the number of sends; `nil` if it
    /// waits.
    ///
    /// - Parameter pause: how long each response takes.
    private func send(
        _ handler: ChallengeHandler,
        _ target: String,
        _ challenge: String,
        pause: Duration = .zero
    ) -> Int? {
        var authentication = handler.authentication(
            of: OutgoingRequest(origin: wiki, target: target),
            by: .forwarded(by: proxy)
        )
        var step = authentication.begin()
        var sends = 0
        while true {
            switch step {
            case .send(let sending):
                sends += 1
                clock.advance(by: pause)
                if sending.proxyAuthorization == nil {
                    let fields = TestProfile.fields(challenge, name: .proxyAuthenticate)
                    step = authentication.received(status: 407, fields: fields)
                } else if sending.authorization == nil {
                    step = authentication.received(status: 401, fields: TestProfile.fields(challenge))
                } else {
                    step = authentication.received(status: 200, fields: [:])
                }
            case .deliver(let outcome):
                #expect(outcome == .accepted)
                return sends
            case .wait, .needs: return nil
            }
        }
    }

    @Test(
        "A request that carries the password to proxy and origin does not wait for itself",
        arguments: [false, true]
    )
    func itself(isOneAtATime: Bool) throws {
        let challenge = "Basic realm=x"
        let handler = try handler(isOneAtATime: isOneAtATime)
        #expect(send(handler, "/a", challenge) == 3)
        #expect(send(handler, "/a", challenge) == 1)
        // After a quiet time the next attempt is alone: for this request, and not for each of its parties.
        clock.advance(by: .seconds(1))
        #expect(send(handler, "/a", challenge) == 1)
        clock.advance(by: .seconds(1))
        #expect(send(handler, "/a", challenge) == 1)
    }

    @Test(
        "Parties with Digest are asked first after a quiet time, each once a request",
        arguments: [false, true],
        ["", ", stale=false"]
    )
    func askedFirst(isOneAtATime: Bool, more: String) throws {
        let challenge = #"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256"# + more
        let handler = try handler(isOneAtATime: isOneAtATime)
        #expect(send(handler, "/a", challenge) == 3)
        #expect(send(handler, "/a", challenge) == (isOneAtATime ? 3 : 1))
        for _ in 0..<2 {
            clock.advance(by: .seconds(1))
            #expect(send(handler, "/a", challenge) == 3)
        }
        // Also if the origin takes longer than the time in which answers go out in advance.
        clock.advance(by: .seconds(1))
        #expect(send(handler, "/a", challenge, pause: .seconds(1)) == 3)
    }

    @Test("Another request waits until the proxy and the origin have accepted the password")
    func another() throws {
        let handler = try handler(isOneAtATime: false)
        _ = send(handler, "/a", "Basic realm=x")
        clock.advance(by: .seconds(1))
        var first = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/a"), by: .forwarded(by: proxy))
        guard case .send(let sending) = first.begin() else {
            Issue.record("the first request waits")
            return
        }
        #expect(sending.fields.count == 2)
        #expect(send(handler, "/a", "Basic realm=x") == nil)
        _ = first.received(status: 200, fields: [:])
        #expect(send(handler, "/a", "Basic realm=x") == 1)
    }

    @Test("A password that was changed is refused by the proxy alone")
    func changed() throws {
        let handler = try handler(isOneAtATime: false)
        _ = send(handler, "/a", "Basic realm=x")
        clock.advance(by: .seconds(1))
        var first = handler.authentication(of: OutgoingRequest(origin: wiki, target: "/a"), by: .forwarded(by: proxy))
        _ = first.begin()
        let refused = first.received(status: 407, fields: TestProfile.fields("Basic realm=x", name: .proxyAuthenticate))
        guard case .deliver(.withheld(.credentialsRefused, by: .proxy)) = refused else {
            Issue.record("\(refused)")
            return
        }
        // The directory has counted one: the origin has not seen the request.
        let prepared = try #require(handler.preparedAccount(for: try TestProfile.request("http://wiki.acme.example")))
        #expect(!prepared.isSpent(Place(host: "wiki.acme.example", isProxy: false), path: "/b"))
    }

    @Test("NTLM to an origin is not bound to the TLS of a proxy that reads the request") func bindingOfProxy() throws {
        let leaf = try RecordedChain.first("pin-leaf", reason: "pinned").der[0]
        let secure = try Origin(parsing: "https://proxy.acme.example:3129")
        var profile = try TestProfile.make(schemes: [.ntlm])
        profile.sites = try .init(parsing: "http://wiki.acme.example", name: "test")
        profile.accounts[0].sites = ["http://wiki.acme.example"]
        profile.accounts[0].allowsUnbound = false
        let handler = try ChallengeHandler(still: profile)
        var authentication = handler.authentication(of: OutgoingRequest(origin: wiki), by: .forwarded(by: secure))
        _ = authentication.begin()
        var fields = TestProfile.fields("NTLM")
        fields[try #require(HTTPField.Name("Proxy-Support"))] = "Session-Based-Authentication"
        let step = authentication.received(status: 401, fields: fields, on: .init(id: 1, security: .leaf(leaf)))
        guard case .send = step else {
            Issue.record("\(step)")
            return
        }
        #expect(authentication.answer(for: .origin)?.channelBinding == .notApplicable)
    }
}
