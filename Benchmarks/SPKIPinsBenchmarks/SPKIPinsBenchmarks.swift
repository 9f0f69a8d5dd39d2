internal import Benchmark
internal import BenchmarkSuites
internal import HotOperations

/// Certificates, policies and sets of pins.
let benchmarks: @Sendable () -> Void = { register(.spkiPins) }
