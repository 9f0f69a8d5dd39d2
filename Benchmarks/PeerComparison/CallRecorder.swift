package import Histogram

/// Records the time of single calls, less the time of reading the clock.
package struct CallRecorder: Sendable {
    /// The nanoseconds that are subtracted from each call: the median of calls that do nothing.
    package let cost: UInt64

    // Longer calls than a second count as one. Four digits: single nanoseconds up to 20 µs.
    private static let longest: UInt64 = 1_000_000_000
    private static let callsBetweenLooks = 64
    private static let warmUp = 1_000

    /// Measures the time of reading the clock.
    package init(readings: Int = 100_001) {
        let nothing = MeasuredImplementation("clock", "nothing") { $0 }
        let sorted = (0..<readings).map { _ in nothing.once(Clock.monotonic) }.sorted()
        cost = sorted[readings / 2]
    }

    /// A histogram without calls, for latencies in nanoseconds.
    package static var empty: Histogram<UInt64> {
        Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .four)
    }

    /// Adds a measured latency, less ``cost``.
    package func record(_ measured: UInt64, into histogram: inout Histogram<UInt64>) {
        histogram.record(min(measured - min(measured, cost), Self.longest))
    }

    /// One call after the other: each begins when the previous one has ended.
    ///
    /// - Parameters:
    ///   - calls: how many, if time allows.
    ///   - budget: nanoseconds after which it stops.
    /// - Returns: the latencies, and the mean nanoseconds from one call to the next.
    package func closedLoop(
        _ implementation: MeasuredImplementation,
        calls: Int,
        budget: UInt64 = .max
    ) -> (latencies: Histogram<UInt64>, cycle: Double) {
        var histogram = Self.empty
        for _ in 0..<min(calls / 100 + 1, Self.warmUp) { _ = implementation.once(Clock.monotonic) }
        let start = Clock.monotonic()
        var elapsed: UInt64 = 0
        for call in 1...max(calls, 1) {
            record(implementation.once(Clock.monotonic), into: &histogram)
            guard call % Self.callsBetweenLooks == 0 else { continue }
            elapsed = Clock.monotonic() &- start
            if elapsed > budget { break }
        }
        return (histogram, Double(Clock.monotonic() &- start) / Double(histogram.totalCount))
    }

    /// Calls that arrive at a fixed rate, whether or not the previous one has ended.
    ///
    /// A latency counts from the scheduled arrival of the call. It therefore includes the time that the call waits for slow
    /// calls before it.
    ///
    /// - Parameters:
    ///   - interval: nanoseconds from one arrival to the next.
    ///   - calls: how many, if time allows.
    ///   - budget: nanoseconds after which it stops.
    package func openLoop(
        _ implementation: MeasuredImplementation,
        interval: Double,
        calls: Int,
        budget: UInt64 = .max
    ) -> Histogram<UInt64> {
        var histogram = Self.empty
        let start = Clock.monotonic()
        for call in 0..<max(calls, 1) {
            let arrival = start &+ UInt64(Double(call) * interval)
            if arrival &- start > budget { break }
            var hasArrived = false
            // The first reading waits for the scheduled arrival and returns it.
            let latency = implementation.once {
                guard !hasArrived else { return Clock.monotonic() }
                hasArrived = true
                while Clock.monotonic() < arrival {}
                return arrival
            }
            record(latency, into: &histogram)
        }
        return histogram
    }
}
