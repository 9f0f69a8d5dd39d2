internal import CCounters
internal import PeerComparison

/// What one request cost, on average of some.
struct Sample {
    /// Elapsed time.
    let nanoseconds: Double
    /// Processor time of client and server together.
    let processorNanoseconds: Double
    /// Allocations of client and server together.
    let allocations: Double

    /// Measures `count` requests.
    static func of(_ count: Int, _ body: () async throws -> Void) async throws -> Sample {
        let (time, processor, allocations) = (
            Clock.monotonic(), Clock.processor(), sallyport_allocations_of_all_threads()
        )
        try await body()
        return Sample(
            nanoseconds: Double(Clock.monotonic() - time) / Double(count),
            processorNanoseconds: Double(Clock.processor() - processor) / Double(count),
            allocations: Double(sallyport_allocations_of_all_threads() - allocations) / Double(count)
        )
    }
}

extension [Sample] {
    /// The middle value of one part.
    func median(_ part: KeyPath<Sample, Double>) -> Double {
        map { $0[keyPath: part] }.sorted()[count / 2]
    }

    /// The middle of the ratios to the samples of the same rounds of `others`.
    func ratio(to others: [Sample], _ part: KeyPath<Sample, Double>) -> Double {
        zip(self, others).map { $0[keyPath: part] / $1[keyPath: part] }.sorted()[count / 2]
    }
}
