internal import Benchmark
package import HotOperations
internal import PeerComparison

/// Registers every hot operation of a suite: time and throughput, over samples of a thousand operations, or of single ones
/// where each needs something prepared.
package func register(_ suite: HotOperation.Suite) {
    // The package's own global; set once, before any benchmark is registered.
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        warmupIterations: 1,
        maxDuration: .milliseconds(700),
        maxIterations: 100_000
    )
    let operations: [HotOperation]
    do {
        operations = try HotOperation.all([suite])
    } catch {
        preconditionFailure("\(suite.rawValue): the fixtures cannot be made: \(error)")
    }
    for operation in operations {
        let implementation = operation.implementation
        let isSingle = implementation.isPrepared || implementation.batch > 1
        // A name is a path of its own in filters and baselines.
        Benchmark(operation.name, configuration: .init(scalingFactor: isSingle ? .one : .kilo)) { benchmark in
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
}
