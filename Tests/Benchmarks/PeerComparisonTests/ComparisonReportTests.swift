import PeerComparison
import Testing

@Suite struct ComparisonReportTests {
    private static func measurementFile() throws -> MeasurementFile {
        var measurementFile = MeasurementFile()
        try measurementFile.add(
            """
            time\tSallyport\tlookup\t20
            time\tSallyport, many at once\tlookup\t5
            time\tslow\tlookup\t80
            time\tquick\tlookup\t30
            time\tSallyport\talone\t7
            bytes\tquick\tlookup\t120
            absent\tmissing\tno compiler
            """
        )
        return measurementFile
    }

    @Test func theShortTableNamesTheQuickestPeer() throws {
        let measurementFile = try Self.measurementFile()
        let rows = [
            ("a lookup", "lookup", measurementFile), ("no peer", "alone", measurementFile),
            ("not measured", "other", measurementFile),
        ]
        let text = ComparisonReport.short(
            rows.map { (title: $0.0, operation: $0.1, measurementFile: $0.2) },
            ours: "Sallyport"
        )
        let lines = try #require(text).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[2].split(separator: "|").map { $0.filter { $0 != " " } } == ["alookup", "20", "quick", "30", "1.50×"]
        )
    }

    @Test func bytesAreAColumnIfMeasured() throws {
        let report = ComparisonReport(ours: "Sallyport", measurementFile: try Self.measurementFile())
        let text = report.text(of: try Self.measurementFile())
        #expect(text.contains("bytes each"))
        #expect(
            text.split(separator: "\n").contains { $0.contains("quick") && $0.contains("120") && $0.contains("1.50 ×") }
        )
        #expect(text.contains("- missing: absent (no compiler)"))
        var plain = MeasurementFile()
        plain.note(.time(1), of: "a", by: "Sallyport")
        #expect(!ComparisonReport(ours: "Sallyport", measurementFile: plain).text(of: plain).contains("bytes each"))
    }
}
