internal import ChallengeReplay
internal import Corpora
internal import Histogram

/// The replay's result as JSON: one object per line.
enum ReplayJSON {
    /// The percentiles that are reported of a histogram, besides its maximum.
    static let percentiles: [(name: String, percentile: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9),
    ]

    private struct Verdict: Encodable {
        let verdict: String
        let reason: String?
        let identity: String?
    }

    private struct Event: Encodable {
        let exchange: Int
        let leg: Int
        let kind: String
        let origin: String
        let verdict: String
        let reason: String?
        let identity: String?
        let explanation: String?
        let expected: Verdict
        let difference: String?
        let nanoseconds: UInt64
    }

    private struct Kind: Encodable {
        let exchanges: Int
        let verdicts: [String: Int]
        let differences: Int
    }

    private struct Summary: Encodable {
        let summary = true
        let recording: String
        let passes: Int
        let exchanges: Int
        let events: Int
        let differences: Int
        let kinds: [String: Kind]
        let latencyNanoseconds: [String: [String: UInt64]]
        let decisionsPerProcessorSecond: Double
        let decisionsPerSecond: Double
        let machine: String
    }

    static func event(_ observation: Replayer.Observation) -> String {
        let event = observation.event
        let verdict = observation.verdict
        return JSONValue.line(
            encoding: Event(
                exchange: event.exchange,
                leg: event.leg,
                kind: event.kind,
                origin: event.origin,
                verdict: verdict.verdict,
                reason: verdict.reason,
                identity: verdict.identity,
                explanation: verdict.explanation,
                expected: Verdict(
                    verdict: event.expected.verdict,
                    reason: event.expected.reason,
                    identity: event.expected.identity
                ),
                difference: observation.difference,
                nanoseconds: observation.nanoseconds
            )
        )
    }

    static func summary(_ report: ReplayReport, recording: String, passes: Int) -> String {
        var kinds: [String: Kind] = [:]
        for (kind, counts) in report.kinds {
            kinds[kind] = Kind(
                exchanges: counts.exchanges,
                verdicts: counts.verdicts,
                differences: counts.differences
            )
        }
        return JSONValue.line(
            encoding: Summary(
                recording: recording,
                passes: passes,
                exchanges: report.exchanges,
                events: report.events,
                differences: report.differences.count,
                kinds: kinds,
                latencyNanoseconds: latencies(report),
                decisionsPerProcessorSecond: report.rate.perProcessorSecond.rounded(),
                decisionsPerSecond: report.rate.perSecond.rounded(),
                machine: MachineLine.text
            )
        )
    }

    private static func latencies(_ report: ReplayReport) -> [String: [String: UInt64]] {
        var stages: [String: [String: UInt64]] = [:]
        for (stage, histogram) in report.latencies.histograms where histogram.totalCount > 0 {
            var values = ["count": histogram.totalCount, "max": histogram.max]
            for (name, percentile) in percentiles { values[name] = histogram.valueAtPercentile(percentile) }
            stages[stage.rawValue] = values
        }
        return stages
    }
}
