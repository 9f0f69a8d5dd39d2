internal import Benchmark
internal import BenchmarkSuites
internal import HotOperations

/// Hashes, proofs, messages and batches of NTLM.
let benchmarks: @Sendable () -> Void = { register(.ntlm) }
