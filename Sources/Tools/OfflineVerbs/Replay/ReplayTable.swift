internal import ChallengeReplay
internal import Foundation
internal import Histogram
internal import WireFormat

/// The replay's result as text.
enum ReplayTable {
    private static let verdicts = [
        "answered", "accepted", "refused", "withheld", "trusted", "rejected", "passed", "evidence",
    ]

    static func text(_ report: ReplayReport, recording: String, passes: Int) -> String {
        var lines = [
            "\(recording): \(report.exchanges.counted("exchange")), \(report.events.counted("event")), "
                + passes.counted("pass", "passes"),
            "",
        ]
        lines += kinds(report)
        lines.append("")
        lines += latencies(report)
        lines.append("")
        lines += differences(report)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func kinds(_ report: ReplayReport) -> [String] {
        var table = TextTable(header: ["kind", "exchanges"] + verdicts + ["differences"])
        var sums = [Int](repeating: 0, count: verdicts.count)
        for (kind, counts) in report.kinds {
            let cells = verdicts.map { counts.verdicts[$0] ?? 0 }
            for (index, cell) in cells.enumerated() { sums[index] += cell }
            let numbers = [counts.exchanges] + cells + [counts.differences]
            table.append([kind] + numbers.map { $0 == 0 ? "." : String($0) })
        }
        let total = [report.exchanges] + sums + [report.differences.count]
        table.append(["all"] + total.map(String.init))
        return table.lines
    }

    private static func latencies(_ report: ReplayReport) -> [String] {
        var table = TextTable(header: ["stage", "events", "p50", "p90", "p99", "p99.9", "max"])
        for stage in StageLatencies.Stage.allCases {
            guard let histogram = report.latencies.histograms[stage], histogram.totalCount > 0 else { continue }
            let values = ReplayJSON.percentiles.map { histogram.valueAtPercentile($0.percentile) } + [histogram.max]
            table.append([stage.rawValue, String(histogram.totalCount)] + values.map(duration))
        }
        let (used, elapsed) = (Int(report.rate.perProcessorSecond), Int(report.rate.perSecond))
        let rate = "\(used) decisions a second of processor time on one thread (\(elapsed) of elapsed time)"
        return table.lines + ["", "\(rate); \(MachineLine.text)"] + advice
    }

    private static var advice: [String] {
        #if DEBUG
            ["this is a debug build; times of the library come from: swift run -c release sallyport-offline replay"]
        #else
            []
        #endif
    }

    private static func differences(_ report: ReplayReport) -> [String] {
        if report.differences.isEmpty {
            return [
                "no differences: answers are what the real servers took or refused, verdicts what the policy demands"
            ]
        }
        let count = report.differences.count
        return report.differences + [count.counted("difference")]
    }

    private static func duration(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case ..<10_000: "\(nanoseconds) ns"
        case ..<10_000_000: String(format: "%.1f µs", Double(nanoseconds) / 1_000)
        default: String(format: "%.1f ms", Double(nanoseconds) / 1_000_000)
        }
    }
}
