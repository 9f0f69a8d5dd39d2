internal import Corpora
internal import Histogram

/// The result of a replay: verdicts by kind, differences, latencies.
package struct ReplayReport: Sendable {
    /// The counts of one kind of exchange.
    package struct KindCounts: Equatable, Sendable {
        /// Exchanges of the kind.
        package var exchanges = 0
        /// Events by verdict.
        package var verdicts: [String: Int] = [:]
        /// Events whose verdict or answer differs from the recording.
        package var differences = 0
    }

    /// Counts by kind, in the order of first appearance.
    package private(set) var kinds: [(kind: String, counts: KindCounts)] = []
    /// Events of one pass.
    package private(set) var events = 0
    /// One line for each difference of the first pass.
    package private(set) var differences: [String] = []
    /// How fast passes decide that compare nothing.
    package var rate = DecisionRate()
    /// Latencies of all passes.
    package var latencies = StageLatencies()
    private var indexOfKind: [String: Int] = [:]
    private var lastExchange: Int?

    /// An empty report.
    package init() {}

    /// Exchanges of one pass.
    package var exchanges: Int { kinds.reduce(0) { $0 + $1.counts.exchanges } }

    /// Counts one event.
    package mutating func count(_ observation: Replayer.Observation) {
        let event = observation.event
        let index = indexOfKind[event.kind] ?? addKind(event.kind)
        events += 1
        if event.exchange != lastExchange { kinds[index].counts.exchanges += 1 }
        lastExchange = event.exchange
        kinds[index].counts.verdicts[observation.verdict.verdict, default: 0] += 1
        if let difference = observation.difference {
            kinds[index].counts.differences += 1
            differences.append("exchange \(event.exchange), leg \(event.leg), \(event.kind): \(difference)")
        }
    }

    private mutating func addKind(_ kind: String) -> Int {
        kinds.append((kind, KindCounts()))
        indexOfKind[kind] = kinds.count - 1
        return kinds.count - 1
    }
}
