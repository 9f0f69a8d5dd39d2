internal import Benchmark
internal import BenchmarkSuites
internal import HotOperations

/// Lists of sites: hits, misses, networks, paths, and what is read before.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() { register(.allowedSites) }
}
