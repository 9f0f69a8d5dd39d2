internal import Benchmark
internal import HotOperations

/// The tails of decisions and verdicts: p50, p99 and p99.9 of single calls, in thousandths of the same percentile of the yardstick.
///
/// A suite of its own, because most hot operations have no tail that is guarded, and code that is linked beside them moves their ratios.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() {
        // The package's own global; set once, before any benchmark is registered. One iteration measures all rounds.
        unsafe Benchmark.defaultConfiguration = .init(
            metrics: TailMeter.Percentile.allCases.map(\.metric),
            warmupIterations: 0,
            maxIterations: 1,
            thresholds: Dictionary(
                uniqueKeysWithValues: TailMeter.Percentile.allCases.map { ($0.metric, $0.tolerance) }
            )
        )
        do {
            for (operation, calls) in try HotOperation.withTails() {
                Benchmark(operation.label) { benchmark in
                    for (percentile, ratio) in TailMeter().ratios(of: operation.implementation, calls: calls) {
                        benchmark.measurement(percentile.metric, Int((ratio * 1_000).rounded()))
                    }
                }
            }
        } catch {
            preconditionFailure("the fixtures cannot be made: \(error)")
        }
    }
}
