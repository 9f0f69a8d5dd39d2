internal import ChallengeHandling
internal import Corpora
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import SPKIPins

/// The events of one exchange, in order.
struct ReplaySession: ~Copyable {
    private let handler: ChallengeHandler
    /// The clock of the handler, in the time of the recording.
    private let clock: ManualClock
    /// The request that ``authentication`` drives.
    private var request: PreparedEvent.Route?
    private var authentication: RequestAuthentication?
    private var comparison = AnswerComparison()

    init(handler: ChallengeHandler, clock: ManualClock) {
        self.handler = handler
        self.clock = clock
    }

    mutating func feed(_ event: PreparedEvent, latencies: inout StageLatencies) -> Replayer.Observation {
        let recorded = event.recorded
        guard recorded.expected.verdict != "evidence" else { return evidence(event) }
        let start = StageLatencies.clock.now
        switch event.content {
        case .handshake(let handshake):
            let trust = evaluate(handshake, at: event.unixSeconds)
            let identity = handshake.authorities.map { handler.identity(for: handshake.origin, authorities: $0) }
            let nanoseconds = latencies.record(.decision, since: start)
            latencies.measurePins { evaluate(handshake, at: event.unixSeconds) }
            let verdict = ReplayVerdict(trust, identity: identity)
            let difference = comparison.difference(of: verdict, from: recorded.expected)
            return Replayer.Observation(
                event: recorded,
                verdict: verdict,
                difference: difference,
                nanoseconds: nanoseconds
            )
        case .password(let new):
            var difference: String?
            do throws(ProfileError) {
                try handler.updateUserCredentials(account: new.account, password: new.password)
            } catch {
                difference = "\(error)"
            }
            return Replayer.Observation(event: recorded, verdict: .noted, difference: difference, nanoseconds: 0)
        case .profile, .forgiven:
            return Replayer.Observation(event: recorded, verdict: .noted, difference: nil, nanoseconds: 0)
        case .response(let response):
            let step = step(after: response)
            let nanoseconds = latencies.record(.decision, since: start)
            latencies.measureStages(of: response, handler: handler)
            let verdict = ReplayVerdict(step)
            let answer = verdict.verdict == "answered" ? authentication?.answer(for: response.challenger) : nil
            let difference =
                comparison.difference(of: verdict, from: recorded.expected)
                ?? comparison.difference(of: answer, from: recorded)
            return Replayer.Observation(
                event: recorded,
                verdict: verdict,
                difference: difference,
                nanoseconds: nanoseconds
            )
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
    private mutating func step(after response: PreparedEvent.Response) -> RequestStep {
        if request != response.route {
            request = response.route
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
        guard var current = authentication.take() else { preconditionFailure("the first response begins a request") }
        var step = current.received(
            status: response.status,
            fields: response.fields,
            on: response.connection,
            bodyWasSent: response.bodyWasSent,
            nonces: response.nonces
        )
        // A client waits and asks again.
        while case .wait(let turn) = step {
            clock.advance(by: turn.timeLeft)
            step = current.resume()
        }
        authentication = consume current
        return step
    }
}
