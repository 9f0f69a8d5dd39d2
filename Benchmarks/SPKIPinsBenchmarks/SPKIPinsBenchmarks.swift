internal import Benchmark
internal import BenchmarkSuites
internal import HotOperations

/// Certificates, policies and sets of pins.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() { register(.spkiPins) }
}
