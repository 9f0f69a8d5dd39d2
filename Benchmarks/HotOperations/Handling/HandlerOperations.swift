internal import AllowedSites
internal import BenchmarkSupport
internal import ChallengeHandling
internal import Foundation
internal import HTTPAuthentication
internal import HTTPTypes
internal import NTLM
internal import PeerComparison
internal import WireFormat

/// One decision of the handler for each kind of challenge, and the parser alone.
///
/// A yardstick ``Yardstick/engines(_:)`` makes the engine calls that the decision needs.
enum HandlerOperations {
    static func all() throws -> [HotOperation] {
        let fixture = try HandlerFixture()
        let engines = try EngineCalls(fixture)
        var operations = [
            decide("basic", fixture, fixture.basic, per: .engines { engines.basic(fixture.basic) }) { $0.isAnswer },
            decide("digest-sha256", fixture, fixture.digest, per: .engines { engines.digest(fixture.digest) }) {
                $0.isAnswer
            },
            decide("ntlm-negotiate", fixture, fixture.negotiate, per: .engines { engines.negotiate(fixture.negotiate) })
            {
                $0.isAnswer
            },
            decide("site-denied", fixture, fixture.denied, per: .engines { engines.site(fixture.denied) }) {
                !$0.isAnswer
            },
        ]
        operations += [refuse(fixture, engines), try authenticate(fixture, engines)]
        operations += [
            evaluate(fixture, engines), parse("basic", fixture.basic), parse("digest-sha256", fixture.digest),
        ]
        return operations
    }

    private static func decide(
        _ name: String,
        _ fixture: HandlerFixture,
        _ challenged: HandlerFixture.Challenged,
        per yardstick: Yardstick,
        isRight: (ChallengeDecision) -> Bool
    ) -> HotOperation {
        let handler = fixture.handler
        var probe = handler.exchange(for: challenged.request)
        precondition(isRight(probe.received(status: 401, fields: challenged.fields)), "\(name) decides wrongly")
        return operation("ChallengeExchange.received/\(name)", per: yardstick) { count in
            var sum = 0
            for _ in 0..<count {
                var exchange = handler.exchange(for: challenged.request)
                sum &+= exchange.received(status: 401, fields: challenged.fields).isAnswer ? 1 : 2
            }
            return sum
        }
    }

    /// The same refusal by `handle(_:)`, without an exchange.
    private static func refuse(_ fixture: HandlerFixture, _ engines: EngineCalls) -> HotOperation {
        let (handler, denied) = (fixture.handler, fixture.denied)
        let challenge = AuthenticationChallenge.http(denied.request, status: 401, fields: denied.fields)
        return operation("ChallengeHandler.handle/site-denied", per: .engines { engines.site(denied) }) { count in
            var sum = 0
            for _ in 0..<count {
                guard case .continueWithoutCredential(.siteNotAllowed) = handler.handle(challenge) else {
                    preconditionFailure("site-denied decides wrongly")
                }
                sum &+= 1
            }
            return sum
        }
    }

    /// The second round trip of NTLM, on a connection whose NEGOTIATE was sent.
    private static func authenticate(_ fixture: HandlerFixture, _ engines: EngineCalls) throws -> HotOperation {
        let ntlm = try loginWithPlainText()
        let fields: HTTPFields = [.wwwAuthenticate: "NTLM " + Base64.encode(ntlm.challenge.span)]
        let started = {
            let started = Started(fixture.handler.exchange(for: fixture.negotiate.request))
            _ = started.exchange.received(status: 401, fields: fixture.negotiate.fields)
            return started
        }
        let probe = started()
        let isAnswered = probe.exchange.received(status: 401, fields: fields).isAnswer
        // From now on the password counts as proven, so that more than one attempt may be under way.
        precondition(isAnswered && probe.exchange.received(status: 200, fields: [:]) == .accepted, "no AUTHENTICATE")
        let implementation = MeasuredImplementation(
            HotOperation.ours,
            "ChallengeExchange.received/ntlm-authenticate/challenge=\(ntlm.challenge.count)",
            prepare: started,
            perform: { $0.exchange.received(status: 401, fields: fields).isAnswer ? 1 : 2 }
        )
        let yardstick = Yardstick.engines { engines.authenticate(fixture.negotiate, fields) }
        return HotOperation(.sallyport, implementation, per: yardstick, workload: 64)
    }

    /// An exchange in a place that a closure can refer to, because it cannot be copied.
    private final class Started {
        var exchange: ChallengeExchange

        init(_ exchange: consuming ChallengeExchange) {
            self.exchange = exchange
        }
    }

    /// A log-in of the last minute, as the handler asks of a challenge: the one whose text has the fewest of the two
    /// characters that a token cannot have. The parser reads the text before them twice, and the time changes the text.
    private static func loginWithPlainText() throws -> NTLMFixture {
        let present = Int64(Date().timeIntervalSince1970)
        let fixtures = try (0..<60).map { try NTLMFixture(now: FileTime(unixSeconds: present - $0)) }
        let counts = fixtures.map { Base64.encode($0.challenge.span).utf8.count { "+/".utf8.contains($0) } }
        return fixtures[counts.firstIndex(of: counts.min() ?? 0) ?? 0]
    }

    private static func evaluate(_ fixture: HandlerFixture, _ engines: EngineCalls) -> HotOperation {
        let trust = fixture.trust
        guard case .trusted = fixture.handler.evaluate(trust, now: fixture.now) else {
            preconditionFailure("the pinned chain is not trusted")
        }
        let name = "ChallengeHandler.evaluate/pinned-leaf/chain=\(fixture.pinnedChain.count)"
        return operation(name, per: .engines { engines.pins() }) { count in
            var sum = 0
            for _ in 0..<count {
                if case .trusted = fixture.handler.evaluate(trust, now: fixture.now) { sum &+= 1 }
            }
            return sum
        }
    }

    private static func parse(_ name: String, _ challenged: HandlerFixture.Challenged) -> HotOperation {
        let expected = OfferedChallenges(by: .origin, in: challenged.fields).challenges.count
        precondition(expected > 0, "\(name) offers nothing")
        return operation("OfferedChallenges.init/\(name)", per: .wide) { count in
            var sum = 0
            for _ in 0..<count { sum &+= OfferedChallenges(by: .origin, in: challenged.fields).challenges.count }
            return sum
        }
    }

    private static func operation(
        _ name: String,
        per yardstick: Yardstick,
        perform: @escaping (_ repetitions: Int) -> Int
    ) -> HotOperation {
        HotOperation(
            .sallyport,
            MeasuredImplementation(HotOperation.ours, name, perform: perform),
            per: yardstick,
            workload: 128
        )
    }
}

extension ChallengeDecision {
    fileprivate var isAnswer: Bool {
        if case .answer = self { return true }
        return false
    }
}
