internal import Benchmark
internal import BenchmarkSuites
internal import HotOperations

/// Decisions of the handler, one for each kind of challenge, and the parser alone.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() { register(.sallyport) }
}
