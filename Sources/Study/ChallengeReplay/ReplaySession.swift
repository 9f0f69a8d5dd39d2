internal import ChallengeHandling
internal import Corpora
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import SPKIPins

/// The events of one exchange, in order.
final class ReplaySession {
    private let handler: ChallengeHandler
    /// The clock of the handler, in the time of the recording.
    private let clock: ManualClock
    /// The first response to the request that ``authentication`` drives.
    private var first: PreparedResponse?
    private var authentication: RequestAuthentication?
    private var comparison = AnswerComparison()

    init(handler: ChallengeHandler, clock: ManualClock) {
        self.handler = handler
        self.clock = clock
    }

    /// What the handler says to an event.
    enum Outcome {
        case handshake(TrustDecision, IdentityDecision?)
        case response(RequestStep)
        /// The handler decides nothing.
        case noted(problem: String?)
    }

    /// Decides about an event. Evidence asks for no decision, so the caller leaves it out.
    func decide(_ event: PreparedEvent) -> Outcome {
        switch event.content {
        case .handshake(let handshake):
            let trust = evaluate(handshake, at: event.unixSeconds)
            let identity = handshake.authorities.map { handler.identity(for: handshake.origin, authorities: $0) }
            return .handshake(trust, identity)
        case .response(let response): return .response(step(after: response))
        case .password(let new):
            do throws(ProfileError) {
                try handler.updateUserCredentials(account: new.account, password: new.password)
                return .noted(problem: nil)
            } catch {
                return .noted(problem: "\(error)")
            }
        case .profile, .forgiven: return .noted(problem: nil)
        }
    }

    /// Decides about an event, and compares the decision with the recorded one.
    func feed(_ event: PreparedEvent, latencies: inout StageLatencies) -> Replayer.Observation {
        let expected = event.recorded.expected
        guard !event.isEvidence else { return evidence(event) }
        let start = StageLatencies.clock.now
        let outcome = decide(event)
        let verdict: ReplayVerdict
        let difference: String?
        var nanoseconds: UInt64 = 0
        switch outcome {
        case .handshake(let trust, let identity):
            nanoseconds = latencies.record(.decision, since: start)
            verdict = ReplayVerdict(trust, identity: identity)
            difference = comparison.difference(of: verdict, from: expected)
        case .response(let step):
            nanoseconds = latencies.record(.decision, since: start)
            verdict = ReplayVerdict(step)
            let isAnswered = verdict.verdict == "answered"
            let answer =
                if isAnswered, case .response(let response) = event.content {
                    authentication?.answer(for: response.challenger)
                } else {
                    ChallengeAnswer?.none
                }
            difference =
                comparison.difference(of: verdict, from: expected)
                ?? comparison.difference(of: answer, from: event.recorded)
        case .noted(let problem):
            (verdict, difference) = (.noted, problem)
        }
        measureStages(of: event, &latencies)
        return Replayer.Observation(
            event: event.recorded,
            verdict: verdict,
            difference: difference,
            nanoseconds: nanoseconds
        )
    }

    /// Times the stages of the decision, each alone.
    private func measureStages(of event: PreparedEvent, _ latencies: inout StageLatencies) {
        switch event.content {
        case .handshake(let handshake): latencies.measurePins { evaluate(handshake, at: event.unixSeconds) }
        case .response(let response): latencies.measureStages(of: response, handler: handler)
        case .password, .profile, .forgiven: break
        }
    }

    /// Checks the recorded reply to an answer that the handler withholds: if the server accepted it, withholding was
    /// wrong.
    private func evidence(_ event: PreparedEvent) -> Replayer.Observation {
        var difference: String?
        if case .response(let response) = event.content, response.status < 400 {
            difference = "the server accepted (\(response.status)) an answer that the handler withholds"
        }
        return Replayer.Observation(
            event: event.recorded,
            verdict: .evidence,
            difference: difference,
            nanoseconds: 0
        )
    }

    private func evaluate(_ handshake: PreparedEvent.Handshake, at unixSeconds: Int64) -> TrustDecision {
        let chain = handshake.validated.flatMap { try? ValidatedChain(assertingValidated: $0) }
        return handler.evaluate(ServerTrust(host: handshake.origin.host, chain: chain), now: unixSeconds)
    }

    /// Passes the response to the request's driver. The client of a recording sent no answers in advance; that of a transcript may.
    private func step(after response: PreparedResponse) -> RequestStep {
        if first?.route != response.route {
            first = response
            begin(response)
        }
        guard
            var step = authentication?.received(
                status: response.status,
                fields: response.fields,
                on: response.connection,
                bodyWasSent: response.bodyWasSent,
                nonces: response.nonces
            )
        else { preconditionFailure("the first response begins a request") }
        // A client waits and asks again.
        while case .wait(let turn) = step {
            clock.advance(by: turn.timeLeft)
            guard let next = authentication?.resume() else { break }
            step = next
        }
        return step
    }

    private func begin(_ response: PreparedResponse) {
        var next: RequestAuthentication
        if response.isProxyOnly {
            next = handler.proxyAuthentication(of: response.outgoing, by: response.route.route)
        } else {
            next = handler.authentication(
                of: response.outgoing,
                by: response.route.route,
                answersInAdvance: response.isInAdvance
            )
        }
        var step = next.begin()
        while case .wait(let turn) = step {
            clock.advance(by: turn.timeLeft)
            step = next.resume()
        }
        authentication = consume next
    }
}
