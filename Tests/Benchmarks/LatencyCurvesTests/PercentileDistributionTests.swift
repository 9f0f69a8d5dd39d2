import Histogram
import LatencyCurves
import Testing

@Suite struct PercentileDistributionTests {
    /// As HdrHistogram's C implementation prints eleven values (four columns with other widths, and `inf` at the end).
    private static let ofAnotherImplementation = """
               Value   Percentile   TotalCount 1/(1-Percentile)

               2.000     0.000000            1         1.00
               4.000     0.100000           11         1.11
               4.000     1.000000           11          inf
        #[Mean    =        3.818, StdDeviation   =        0.575]
        #[Max     =        4.000, Total count    =           11]
        #[Buckets =           22, SubBuckets     =         2048]

        """

    private static func oneToTenThousand() -> Histogram<UInt64> {
        var histogram = Histogram<UInt64>(highestTrackableValue: 1_000_000, numberOfSignificantValueDigits: .four)
        for value in UInt64(1)...10_000 { histogram.record(value) }
        return histogram
    }

    @Test func whatAnotherImplementationWroteIsRead() throws {
        let curve = try PercentileDistribution.curve(Self.ofAnotherImplementation)
        #expect(curve.calls == 11)
        #expect(curve.points.map(\.nanoseconds) == [2, 4, 4])
        #expect(curve.points.map(\.share) == [0, 0.1, 1])
    }

    @Test func theTextHasTheColumnsAndTheFootThatPlottersRead() {
        let lines = PercentileDistribution.text(Self.oneToTenThousand()).split(separator: "\n")
        #expect(lines.first == "       Value     Percentile TotalCount 1/(1-Percentile)")
        #expect(lines.contains("   5000.0000 0.500000000000       5000           2.00"))
        #expect(lines.contains("  10000.0000 1.000000000000      10000"))
        #expect(lines.suffix(3).allSatisfy { $0.hasPrefix("#[") })
    }

    @Test func percentilesOfOneToTenThousandAreKnown() throws {
        let curve = try PercentileDistribution.curve(PercentileDistribution.text(Self.oneToTenThousand()))
        #expect(curve.calls == 10_000)
        #expect(curve.nanoseconds(at: 50) == 5_000)
        #expect(curve.nanoseconds(at: 90) == 9_000)
        // Rows lie close together, and each is at or past the percentile that is asked for.
        for (percentile, exact) in [(99.0, 9_900.0), (99.9, 9_990), (99.99, 9_999)] {
            let found = try #require(curve.nanoseconds(at: percentile))
            #expect(found >= exact && found <= exact + (10_000 - exact) * 0.05 + 1)
        }
        #expect(curve.slowest == 10_000)
    }

    @Test func aPercentileThatTooFewCallsSayNothingAboutIsAbsent() throws {
        let curve = try PercentileDistribution.curve(PercentileDistribution.text(Self.oneToTenThousand()))
        #expect(curve.nanoseconds(at: 99.999) == nil)
    }

    @Test(arguments: [
        ("", 1), ("Value Percentile TotalCount 1/(1-Percentile)\n", 2), ("1.0 0.5 3 2.00\n", 1),
        ("Value Percentile\n1.0 0.5\n", 2), ("Value Percentile\n1.0 1.5 3\n", 2), ("Value Percentile\n-1.0 0.5 3\n", 2),
        ("Value Percentile\nnan 0.5 3\n", 2), ("Value Percentile\n1.0 0.5 3\n2.0 0.4 4\n", 3),
        ("Value Percentile\n1.0 0.5 3\n2.0 0.9 2\n", 3), ("Value Percentile\n1.0 0.5 3\n", 3),
    ])
    func otherTextIsRefused(text: String, line: Int) {
        #expect(throws: PercentileDistribution.Unreadable(line: line)) { try PercentileDistribution.curve(text) }
    }
}
