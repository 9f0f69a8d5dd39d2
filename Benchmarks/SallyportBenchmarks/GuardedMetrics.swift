internal import Benchmark
internal import CCounters
internal import HotOperations
internal import PeerComparison

/// The metrics of a hot operation that have committed thresholds.
///
/// The plugin compares whole numbers, so each is a thousandfold. A call is what ``HotOperation/counted`` says: of a whole batch,
/// one more allocation in 1,024 operations is a change of 1,000.
enum GuardedMetric: String, CaseIterable {
    /// Allocations in 1,000 calls.
    case allocations
    /// Retains in 1,000 calls, without those inside the standard library.
    case retains
    /// The time in thousandths of the yardstick's.
    case ratio

    /// Those that can be measured on this system.
    static var available: [GuardedMetric] {
        allCases.filter { metric in
            switch metric {
            case .allocations: SALLYPORT_COUNTS_ALLOCATIONS != 0
            case .retains: SALLYPORT_COUNTS_RETAINS != 0
            case .ratio: true
            }
        }
    }

    /// How the plugin names it.
    var metric: BenchmarkMetric { .custom(rawValue, polarity: .prefersSmaller, useScalingFactor: false) }

    /// The differences from the committed threshold that `swift package benchmark thresholds check` allows.
    func tolerance(of operation: HotOperation) -> BenchmarkThresholds {
        switch self {
        // Random numbers decide when a table grows, once in many calls. The plugin's histograms keep three digits, so that a count of
        // more than 64,000 is rounded by more than this.
        case .allocations: BenchmarkThresholds(absolute: [.p90: 64])
        case .retains: BenchmarkThresholds(absolute: [.p90: operation.implementation.batch > 1 ? 1_024 : 256])
        case .ratio:
            switch operation.yardstick.tolerance {
            case .part(let part): BenchmarkThresholds(relative: [.p90: part * 100])
            // Nine tenths of a wait, so that one more wait is seen.
            case .wait(let most): BenchmarkThresholds(relative: [.p90: most * 100], absolute: [.p90: 900])
            }
        }
    }

    /// Measures the operation once.
    func value(of operation: HotOperation) -> Int {
        switch self {
        case .allocations: thousandfold(of: operation, sallyport_allocations)
        case .retains: thousandfold(of: operation, sallyport_retains)
        case .ratio: Int((RatioMeter().ratio(of: operation) * 1_000).rounded())
        }
    }

    private func thousandfold(of operation: HotOperation, _ counter: () -> UInt64) -> Int {
        let implementation = operation.implementation
        // The first calls fill caches.
        _ = implementation.mean(of: operation.workload) { 0 }
        let mean = implementation.mean(of: operation.workload, counter)
        let operations =
            switch operation.counted {
            case .call: implementation.batch
            case .operation: 1
            }
        return Int((mean * Double(operations) * 1_000).rounded())
    }
}
