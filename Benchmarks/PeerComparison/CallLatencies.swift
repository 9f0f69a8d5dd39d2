internal import Histogram

/// How long single calls take, the clock's own cost taken off.
package struct CallLatencies {
    /// How many calls are measured.
    package var calls: Int

    /// One call in so many takes longer.
    package static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100),
    ]

    // Longer calls than a second count as one. Four digits: single nanoseconds up to 20 µs.
    private static let longest: UInt64 = 1_000_000_000

    package init(calls: Int) { self.calls = calls }

    /// Notes the percentiles of each contestant.
    ///
    /// - Precondition: each does one operation at a time.
    package func run(_ contestants: [Contestant], into ledger: inout Ledger) {
        let cost = Clock.cost()
        ledger.note(about: "clock", "\(cost) ns a reading, taken off each call")
        for contestant in contestants {
            var histogram = Histogram<UInt64>(
                highestTrackableValue: Self.longest,
                numberOfSignificantValueDigits: .four
            )
            for _ in 0..<(calls / 100 + 1) { _ = contestant.once(Clock.monotonic) }
            for _ in 0..<calls {
                let latency = contestant.once(Clock.monotonic)
                histogram.record(min(latency - min(latency, cost), Self.longest))
            }
            for (name, value) in Self.percentiles {
                let nanoseconds = Double(histogram.valueAtPercentile(value))
                ledger.note(.latency(name, nanoseconds), of: contestant.operation, by: contestant.who)
            }
        }
    }
}
