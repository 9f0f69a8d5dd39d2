public import Corpora

/// Looks for a strategy that knows the future.
///
/// What a rule ships at a capture must not depend on what comes later. The audit cuts the recording off after each capture and asks
/// again: another answer means that the rule peeked.
public enum PeekAudit {
    /// Where a strategy was caught.
    public struct Finding: Equatable, Sendable {
        /// The host.
        public let host: String
        /// The capture, from 0, after which the cut made a difference.
        public let capture: Int
    }

    /// The first capture at which `strategy` ships other pins when the rest of the recording is not there.
    ///
    /// - Parameters:
    ///   - strategy: makes the strategy from a recording, as whoever runs a study would.
    ///   - recording: what to cut.
    /// - Complexity: quadratic in the observations; for tests.
    public static func firstFinding(
        _ recording: ChainRecording,
        strategy: (ChainRecording) -> PinningStrategy
    ) -> Finding? {
        let whole = ChainHistory(recording)
        let informed = strategy(recording)
        for host in whole.hosts.indices {
            let endpoint = whole.hosts[host].endpoint
            for (index, capture) in whole.hosts[host].captures.enumerated() {
                // Of captures of one second, those of other hosts stay: they are known at that time.
                let cut = recording.knownAt(capture.first, endpoint: endpoint, captures: index + 1)
                let history = ChainHistory(cut)
                guard let place = history.hosts.firstIndex(where: { $0.endpoint == endpoint }) else { continue }
                let then = strategy(cut).pins(history, host: place, count: index + 1, now: capture.first)
                let now = informed.pins(whole, host: host, count: index + 1, now: capture.first)
                if then.map(history.digest) != now.map(whole.digest) || then.map(\.position) != now.map(\.position) {
                    return Finding(host: endpoint.description, capture: index)
                }
            }
        }
        return nil
    }
}
