internal import Histogram

/// How long single calls take, the clock's own cost taken off.
package struct CallLatencies {
    /// How many calls are measured.
    package var calls: Int

    /// One call in so many takes longer.
    package static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100),
    ]

    package init(calls: Int) { self.calls = calls }

    /// Notes the percentiles of each contestant.
    ///
    /// - Precondition: each does one operation at a time.
    package func run(_ contestants: [Contestant], into ledger: inout Ledger) {
        let recorder = CallRecorder()
        ledger.note(about: "clock", "\(recorder.cost) ns a reading, taken off each call")
        for contestant in contestants {
            precondition(contestant.batch == 1, "\(contestant.operation) is done \(contestant.batch) at a time")
            let histogram = recorder.closedLoop(contestant, calls: calls).latencies
            for (name, value) in Self.percentiles {
                let nanoseconds = Double(histogram.valueAtPercentile(value))
                ledger.note(.latency(name, nanoseconds), of: contestant.operation, by: contestant.who)
            }
        }
    }
}
