internal import Benchmark
internal import HotOperations

extension TailMeter.Percentile {
    /// How the plugin names it.
    var metric: BenchmarkMetric { .custom(rawValue, polarity: .prefersSmaller, useScalingFactor: false) }

    /// The difference from the committed threshold that `swift package benchmark thresholds check` allows, in percent.
    ///
    /// With programs on both cores, the p99 of unchanged code was up to 1.5 times as long and the p99.9 up to 7 times. If one call in 500 sleeps
    /// for 200 µs, the p99.9 of a call of 1 µs is more than 25 times as long there, and 200 times on a quiet machine.
    var tolerance: BenchmarkThresholds {
        switch self {
        // Twice that of the ratio, which is of the quickest calls.
        case .p50: BenchmarkThresholds(relative: [.p90: 10])
        case .p99: BenchmarkThresholds(relative: [.p90: 100])
        case .p999: BenchmarkThresholds(relative: [.p90: 900])
        }
    }
}
