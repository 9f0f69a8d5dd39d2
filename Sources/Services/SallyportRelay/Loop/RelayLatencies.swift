internal import Histogram

/// How long requests waited for the head of their response, from the end of their own head.
///
/// A wait for a parent, a connection, another request's attempt or a person is a part of it. Precise to two digits.
public struct RelayLatencies: Sendable {
    /// The longest time that is told apart: one hour.
    static let longestMicroseconds: UInt64 = 3_600_000_000

    private var histogram = Histogram<UInt64>(
        highestTrackableValue: RelayLatencies.longestMicroseconds,
        numberOfSignificantValueDigits: .two
    )
    private(set) var sumMicroseconds: UInt64 = 0

    /// The number of requests.
    public var count: UInt64 { histogram.totalCount }

    /// The time in microseconds that `percent` of the requests did not exceed.
    public func microseconds(at percent: Double) -> UInt64 { histogram.valueAtPercentile(percent) }

    /// How many requests took at most this long.
    func count(upTo microseconds: UInt64) -> UInt64 { count == 0 ? 0 : histogram.count(within: 0...microseconds) }

    mutating func record(microseconds: UInt64) {
        let value = min(microseconds, Self.longestMicroseconds)
        _ = histogram.record(value)
        sumMicroseconds &+= value
    }

    static func += (left: inout RelayLatencies, right: RelayLatencies) {
        left.histogram.add(right.histogram)
        left.sumMicroseconds &+= right.sumMicroseconds
    }
}
