internal import Benchmark
internal import BenchmarkSuites
internal import HotOperations

/// Hashes, proofs, messages and batches of NTLM.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() { register(.ntlm) }
}
