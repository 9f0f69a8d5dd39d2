import Histogram
import LatencyCurves

/// Runs with made-up latencies, so that a test does not wait.
enum RunFixture {
    static func run(_ operations: [String], shift: UInt64 = 0) throws -> LatencyRun {
        var run = LatencyRun(about: "a machine & <more>", clockNanoseconds: 21)
        for (index, operation) in operations.enumerated() {
            var histogram = Histogram<UInt64>(
                highestTrackableValue: 1_000_000_000,
                numberOfSignificantValueDigits: .four
            )
            for value in UInt64(1)...5_000 { histogram.record(100 + value % 40 + shift + UInt64(index)) }
            for value in UInt64(1)...20 { histogram.record(value * 1_000) }
            let text = PercentileDistribution.text(histogram)
            run.entries.append(try .init(operation: operation, loop: .closed, text: text))
            run.entries.append(
                try .init(operation: operation, loop: .open, rate: 1e6, utilisation: 0.25, text: text)
            )
        }
        return run
    }
}
