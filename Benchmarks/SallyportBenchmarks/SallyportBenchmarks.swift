internal import Benchmark
internal import HotOperations
internal import PeerComparison

/// Every hot operation: sites, NTLM, pins, and decisions of the handler. `--filter` takes some of them by their names.
///
/// Measured are time and throughput, over samples of a thousand operations, or of single ones where each needs something prepared,
/// and once the metrics that thresholds guard.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() {
        // The package's own global; set once, before any benchmark is registered.
        unsafe Benchmark.defaultConfiguration = .init(
            metrics: [.wallClock, .throughput] + GuardedMetric.available.map(\.metric),
            warmupIterations: 1,
            maxDuration: .milliseconds(700),
            maxIterations: 100_000
        )
        do {
            for operation in try HotOperation.all() { register(operation) }
        } catch {
            preconditionFailure("the fixtures cannot be made: \(error)")
        }
    }
}

private func register(_ operation: HotOperation) {
    let implementation = operation.implementation
    let isSingle = implementation.isPrepared || implementation.batch > 1
    let tolerances = GuardedMetric.available.map { ($0.metric, $0.tolerance(of: operation)) }
    let configuration = Benchmark.Configuration(
        scalingFactor: isSingle ? .one : .kilo,
        thresholds: Dictionary(uniqueKeysWithValues: tolerances)
    )
    Benchmark(operation.label, configuration: configuration) { benchmark in
        if benchmark.currentIteration == benchmark.configuration.warmupIterations {
            for guarded in GuardedMetric.available where benchmark.configuration.metrics.contains(guarded.metric) {
                benchmark.measurement(guarded.metric, guarded.value(of: operation))
            }
        }
        // `--metric` may ask for the guarded metrics alone.
        guard benchmark.configuration.metrics.contains(where: { $0 == .wallClock || $0 == .throughput }) else {
            benchmark.configuration.maxIterations = 1
            return
        }
        var isRunning = false
        let count = benchmark.scaledIterations.count * implementation.batch
        let mean = implementation.mean(of: count) {
            isRunning ? benchmark.stopMeasurement() : benchmark.startMeasurement()
            isRunning.toggle()
            return 0
        }
        blackHole(mean)
    }
}
