/// The latencies of one operation's calls, by percentile.
package struct LatencyCurve: Equatable, Sendable {
    /// How calls follow each other.
    package enum Loop: String, Codable, CaseIterable, Sendable {
        /// Each begins when the one before has ended.
        case closed
        /// They arrive at a fixed rate, and latencies count from the arrival that was meant.
        case open
    }

    /// One row of a percentile distribution.
    package struct Point: Equatable, Sendable {
        /// The share of calls, 0 to 1, that took no longer.
        package let share: Double
        package let nanoseconds: Double
    }

    /// From the quickest call to the slowest, whose share is 1.
    package let points: [Point]
    package let calls: Int

    package init(points: [Point], calls: Int) {
        self.points = points
        self.calls = calls
    }

    /// One call in so many takes longer.
    package static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99), ("p99.999", 99.999),
    ]

    /// The latency that `percentile` percent of calls do not exceed; `nil` where there are too few calls to know.
    package func nanoseconds(at percentile: Double) -> Double? {
        let share = percentile / 100
        // If no call was slower, this is the slowest call, not the percentile.
        guard (1 - share) * Double(calls) >= 1 - 1e-6 else { return nil }
        return points.first { $0.share >= share - 1e-12 }?.nanoseconds
    }

    /// The slowest call.
    package var slowest: Double? { points.last?.nanoseconds }
}
