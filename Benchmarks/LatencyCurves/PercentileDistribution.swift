package import Histogram

/// HdrHistogram's percentile distribution, the text that its plotters read (`.hgrm`): four columns and a foot of comments.
///
/// ```
///        Value     Percentile TotalCount 1/(1-Percentile)
///
///      41.0000 0.000000000000         12           1.00
///      97.0000 1.000000000000    1000000
/// #[Mean    =      43.1000, StdDeviation   =       2.0000]
/// #[Max     =      97.0000, Total count    =      1000000]
/// #[Buckets =           16, SubBuckets     =        32768]
/// ```
package enum PercentileDistribution {
    /// Text that is not a percentile distribution.
    package struct Unreadable: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package init(line: Int) { self.line = line }
        package var description: String { "line \(line) is not of a percentile distribution" }
    }

    // Rows for each halving of the calls that are still slower; ours ask for any of six percentiles.
    private static let ticks = 20

    /// The text of a histogram of nanoseconds.
    package static func text(_ histogram: Histogram<UInt64>) -> String {
        var text = ""
        histogram.outputPercentileDistribution(
            to: &text,
            outputValueUnitScalingRatio: 1,
            percentileTicksPerHalfDistance: ticks
        )
        return text
    }

    /// Reads what ``text(_:)``, or another of HdrHistogram's implementations, has written.
    package static func curve(_ text: String) throws(Unreadable) -> LatencyCurve {
        var points: [LatencyCurve.Point] = []
        var calls = 0
        var hasHeader = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ")
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            if !hasHeader, first == "Value" {
                hasHeader = true
                continue
            }
            guard hasHeader, words.count >= 3, let nanoseconds = Double(first), let share = Double(words[1]),
                let count = Int(words[2]), nanoseconds.isFinite, nanoseconds >= 0, (0...1).contains(share),
                share >= points.last?.share ?? 0, count >= calls
            else { throw Unreadable(line: index + 1) }
            calls = count
            points.append(LatencyCurve.Point(share: share, nanoseconds: nanoseconds))
        }
        guard points.last?.share == 1 else { throw Unreadable(line: text.split(separator: "\n").count + 1) }
        return LatencyCurve(points: points, calls: calls)
    }
}
