public import Corpora

/// Detects a strategy that uses later captures.
///
/// The pins of a rule at a capture must not depend on later captures. The audit cuts the recording after each capture
/// and runs the rule again. If the pins differ, the rule used later captures.
public enum PeekAudit {
    /// The first place at which the pins differ.
    public struct Finding: Equatable, Sendable {
        /// The host as the recording writes it.
        public let host: String
        /// The index of the capture, from 0, after which the recording was cut.
        public let capture: Int
    }

    /// The first capture at which `strategy` ships other pins if the rest of the recording is removed.
    ///
    /// - Parameters:
    ///   - recording: the recording to cut.
    ///   - strategy: makes the strategy from a recording.
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
                // Captures of other hosts in the same second stay, because they are known at that time.
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
