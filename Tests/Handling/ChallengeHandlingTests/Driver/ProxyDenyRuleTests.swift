import HTTPAuthentication
import HTTPTypes
import Hostnames
import Sallyport
import Testing

@testable import ChallengeHandling

/// A proxy whose deny rules rest on the user sends 407 for targets that this user may not have.
@Suite struct ProxyDenyRuleTests {
    let proxy: Origin
    let handler: ChallengeHandler

    init() throws {
        proxy = try Origin(parsing: "http://proxy.acme.example:3128")
        var profile = try TestProfile.make()
        profile.accounts[0].allowsCleartext = true
        handler = ChallengeHandler(try CompiledProfile(profile, at: 0), clock: ManualClock())
    }

    /// Sends requests until one ends; the proxy refuses each answer if `denies`, and asks for one otherwise.
    private func send(_ target: String, connects: Bool = false, denies: Bool) throws -> RequestOutcome {
        let origin = try Origin(parsing: connects ? "https://\(target)" : "http://www.other.example")
        var authentication = handler.authentication(
            of: OutgoingRequest(origin: origin, target: connects ? "/" : target),
            by: connects ? .connect(to: proxy) : .forwarded(by: proxy)
        )
        var step = authentication.begin()
        while true {
            switch step {
            case .send(let sending):
                if denies || sending.fields.isEmpty {
                    let fields = TestProfile.fields("Basic realm=p", name: .proxyAuthenticate)
                    step = authentication.received(status: 407, fields: fields)
                } else {
                    step = authentication.received(status: 200, fields: [:])
                }
            case .deliver(let outcome): return outcome
            case .wait, .needs: throw Unexpected()
            }
        }
    }

    private struct Unexpected: Error {}

    @Test("A deny rule withholds its own target and no other", arguments: [false, true])
    func denied(connects: Bool) throws {
        let (open, closed, other) =
            connects
            ? ("www.other.example", "www.closed.example", "www.third.example")
            : ("/news/a?day=1", "/news/secret?day=1", "/news/b")
        #expect(try send(open, connects: connects, denies: false) == .accepted)
        #expect(
            try send(closed, connects: connects, denies: true)
                == .withheld(.credentialsRefused(account: "jdoe"), by: .proxy)
        )
        #expect(try send(open, connects: connects, denies: false) == .accepted)
        #expect(try send(other, connects: connects, denies: false) == .accepted)
        let again = try send(closed, connects: connects, denies: true)
        guard case .withheld(.pathWithheld, by: .proxy) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(try send(other, connects: connects, denies: false) == .accepted)
    }

    @Test("A success on a connection that was authenticated before says nothing: the password stays in doubt")
    func authenticatedBefore() throws {
        #expect(try send("/news/a", denies: false) == .accepted)
        #expect(try send("/secret/a", denies: true) == .withheld(.credentialsRefused(account: "jdoe"), by: .proxy))
        let request = OutgoingRequest(origin: try Origin(parsing: "http://www.other.example"), target: "/news/b")
        var before = handler.authentication(of: request, by: .forwarded(by: proxy), answersInAdvance: false)
        guard case .send(let sending) = before.begin(), sending.fields.isEmpty,
            case .deliver(.notChallenged) = before.received(status: 200, fields: [:])
        else { throw Unexpected() }
        let again = try send("/secret/a", denies: true)
        guard case .withheld(.pathWithheld(_, _, isDoubted: true), by: .proxy) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(try send("/news/b", denies: false) == .accepted)
        guard case .withheld(.pathWithheld(_, _, isDoubted: false), by: .proxy) = try send("/secret/a", denies: true)
        else {
            Issue.record("another page has accepted the password since")
            return
        }
    }
}
