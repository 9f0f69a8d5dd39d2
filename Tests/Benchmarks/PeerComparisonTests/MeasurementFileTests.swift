import PeerComparison
import Testing

@Suite struct MeasurementFileTests {
    @Test func linesOfPeersAddUp() throws {
        var measurementFile = MeasurementFile()
        measurementFile.note(.time(30), of: "verify", by: "ours")
        try measurementFile.add(
            "time\tpeer\tverify\t90\ntime\tpeer\tverify\t60\nabsent\tother\tnot there"
        )
        #expect(measurementFile.implementations == ["ours", "peer"])
        #expect(measurementFile.record("peer", "verify")?.best == 60)
        #expect(measurementFile.record("other", "verify") == nil)
        #expect(measurementFile.absent.map(\.who) == ["other"])
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        var measurementFile = MeasurementFile()
        measurementFile.note(.time(1.25), of: "a", by: "x")
        measurementFile.note(.allocations(0), of: "a", by: "x")
        measurementFile.note(.bytes(33.5), of: "a", by: "x")
        measurementFile.note(about: "x", "version 1")
        measurementFile.note(absent: "y", "no compiler")
        var copy = MeasurementFile()
        try copy.add(measurementFile.lines.joined(separator: "\n"))
        #expect(copy.lines == measurementFile.lines)
        #expect(copy.record("x", "a")?.allocations == 0)
        #expect(copy.record("x", "a")?.bytes == 33.5)
    }

    @Test(arguments: ["time\ta\tb", "bytes\ta\tb\tfew", "time\ta\tb\tfast", "noise", "about\ta"])
    func otherLinesAreRefused(line: String) {
        var measurementFile = MeasurementFile()
        #expect(throws: MeasurementFile.UnreadableLine.self) { try measurementFile.add("absent\ta\tb\n" + line) }
    }

    @Test func theMiddleAndItsSpreadComeFromSortedSamples() throws {
        var measurementFile = MeasurementFile()
        for nanoseconds in [50.0, 10, 40, 20, 30] { measurementFile.note(.time(nanoseconds), of: "a", by: "x") }
        let record = try #require(measurementFile.record("x", "a"))
        #expect(record.best == 10)
        #expect(record.median == 30)
        #expect(record.spread == (40.0 - 20) / 30)
    }
}
