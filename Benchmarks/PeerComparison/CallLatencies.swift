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

    /// Notes the percentiles of each implementation.
    ///
    /// - Precondition: each does one operation at a time.
    package func run(_ implementations: [MeasuredImplementation], into measurementFile: inout MeasurementFile) {
        let recorder = CallRecorder()
        measurementFile.note(about: "clock", "\(recorder.cost) ns a reading, taken off each call")
        for implementation in implementations {
            precondition(
                implementation.batch == 1,
                "\(implementation.operation) is done \(implementation.batch) at a time"
            )
            let histogram = recorder.closedLoop(implementation, calls: calls).latencies
            for (name, value) in Self.percentiles {
                let nanoseconds = Double(histogram.valueAtPercentile(value))
                measurementFile.note(.latency(name, nanoseconds), of: implementation.operation, by: implementation.who)
            }
        }
    }
}
