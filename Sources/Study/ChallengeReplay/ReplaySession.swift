internal import Corpora
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import SPKIPins
internal import Sallyport

/// The events of one exchange, in order.
struct ReplaySession {
    let exchange: Int
    private let handler: ChallengeHandler
    private var origin: (request: String, exchange: ChallengeExchange)?
    private var proxy: ChallengeExchange?
    private var comparison = AnswerComparison()

    init(handler: ChallengeHandler, exchange: Int) {
        self.handler = handler
        self.exchange = exchange
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
        case .response(let response):
            let decision = decide(response)
            let nanoseconds = latencies.record(.decision, since: start)
            latencies.measureStages(of: response, handler: handler)
            let verdict = ReplayVerdict(decision)
            let difference =
                comparison.difference(of: verdict, from: recorded.expected)
                ?? comparison.difference(of: decision, from: recorded)
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

    /// Passes the response to the exchanges of both parties. A challenge counts before a success, and a success before
    /// no challenge.
    private mutating func decide(_ response: PreparedEvent.Response) -> ChallengeDecision {
        var byProxy = ChallengeDecision.notChallenged
        if let request = response.proxyRequest {
            var exchange = proxy ?? handler.exchange(for: request)
            byProxy = exchange.received(status: response.status, fields: response.fields, nonces: response.nonces)
            if case .accepted = byProxy { proxy = nil } else { proxy = exchange }
            // Only the proxy sends a 407 or a response to CONNECT.
            if response.status == ChallengedParty.proxy.status || request.method == "CONNECT" { return byProxy }
        }
        let request = response.originRequest
        let key = "\(request.origin)\(request.target)"
        var exchange = origin?.request == key ? origin?.exchange : nil
        if exchange == nil { exchange = handler.exchange(for: request) }
        guard var current = exchange else { return byProxy }
        let byOrigin = current.received(status: response.status, fields: response.fields, nonces: response.nonces)
        origin = (key, current)
        if case .notChallenged = byOrigin { return byProxy }
        return byOrigin
    }
}
