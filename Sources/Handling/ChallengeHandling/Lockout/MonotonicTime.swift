internal import WireFormat

/// A reading of the monotonic clock, in nanoseconds. Changes of the wall clock do not affect it.
package struct MonotonicTime: Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The clock now.
    package static var now: MonotonicTime {
        MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds)
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time `interval` nanoseconds later; the latest time if that does not fit.
    package static func + (time: MonotonicTime, interval: Int64) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(interval)
        return MonotonicTime(nanoseconds: overflow ? .max : sum)
    }

    /// The nanoseconds from `right` to `left`.
    package static func - (left: MonotonicTime, right: MonotonicTime) -> Int64 {
        left.nanoseconds - right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds; the largest value if that does not fit.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}
