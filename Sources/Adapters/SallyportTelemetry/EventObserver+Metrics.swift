internal import HTTPAuthentication
public import Metrics
public import Sallyport
internal import Synchronization

extension EventObserver {
    /// An observer that counts events and times requests, under the labels of ``MetricLabel``.
    ///
    /// - Parameters:
    ///   - factory: the backend; `nil` for the one of the process, which must be set before.
    ///   - clock: the clock that times requests, if this observer is a handler's own.
    public static func metrics(
        to factory: (any MetricsFactory)? = nil,
        clock: @escaping Clock = EventObserver.systemClock
    ) -> EventObserver {
        let instruments = Instruments(factory ?? MetricsSystem.factory)
        return EventObserver(clock: clock) { instruments.count($0.content) }
    }
}

/// The counters and the timer. Each is made once.
private final class Instruments: Sendable {
    private struct Key: Hashable {
        let label: MetricLabel
        let dimensions: [String]
    }

    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])
    private let duration: Timer

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        duration = Timer(label: MetricLabel.requestDuration.rawValue, factory: factory)
    }

    func count(_ content: AuthenticationEvent.Content) {
        switch content {
        case .ended(let end):
            increment(.requests, [("outcome", end.outcome.word)])
            duration.recordMicroseconds(end.duration.microseconds)
            guard case .withheld(let refusal, by: _) = end.outcome else { return }
            if case .credentialsRefused = refusal {
                increment(.badLogOns)
            } else {
                increment(.withheld, [("reason", refusal.code)])
            }
        case .answered(let answer):
            increment(
                .answers,
                [
                    ("scheme", answer.scheme.name), ("party", answer.party.word),
                    ("in_advance", "\(answer.isInAdvance)"),
                ]
            )
        case .waiting: increment(.waits)
        case .replied(let ask, let reply):
            increment(.questions, [("source", ask.source.rawValue), ("reply", reply.rawValue)])
        case .judged(let judgement):
            if case .rejected(let refusal) = judgement.decision {
                increment(.rejectedServers, [("reason", refusal.code)])
            }
        case .lockout(let change): if change.pause != nil { increment(.pauses) }
        case .started, .response, .selection, .tokenPlaced, .restarted, .needed, .unmet, .asked, .forgiven, .profile,
            .signedOut:
            break
        }
    }

    private func increment(_ label: MetricLabel, _ dimensions: [(String, String)] = []) {
        let key = Key(label: label, dimensions: dimensions.map(\.1))
        let counter = counters.withLock { counters in
            if let known = counters[key] { return known }
            let counter = Counter(label: label.rawValue, dimensions: dimensions, factory: factory)
            counters[key] = counter
            return counter
        }
        counter.increment()
    }
}
