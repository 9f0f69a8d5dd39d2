import PeerComparison
import Testing

@Suite struct LedgerTests {
    @Test func linesOfPeersAddUp() throws {
        var ledger = Ledger()
        ledger.note(.time(30), of: "verify", by: "ours")
        try ledger.add(
            "time\tpeer\tverify\t90\ntime\tpeer\tverify\t60\nlatency\tpeer\tverify\tp99\t75\nabsent\tother\tnot there"
        )
        #expect(ledger.contestants == ["ours", "peer"])
        #expect(ledger.record("peer", "verify")?.best == 60)
        #expect(ledger.record("peer", "verify")?.latencies == ["p99": 75])
        #expect(ledger.record("other", "verify") == nil)
        #expect(ledger.absent.map(\.who) == ["other"])
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        var ledger = Ledger()
        ledger.note(.time(1.25), of: "a", by: "x")
        ledger.note(.allocations(0), of: "a", by: "x")
        ledger.note(.latency("max", 7), of: "a", by: "x")
        ledger.note(.bytes(33.5), of: "a", by: "x")
        ledger.note(about: "x", "version 1")
        ledger.note(absent: "y", "no compiler")
        var copy = Ledger()
        try copy.add(ledger.lines.joined(separator: "\n"))
        #expect(copy.lines == ledger.lines)
        #expect(copy.record("x", "a")?.allocations == 0)
        #expect(copy.record("x", "a")?.bytes == 33.5)
    }

    @Test(arguments: ["time\ta\tb", "bytes\ta\tb\tfew", "time\ta\tb\tfast", "noise", "about\ta"])
    func otherLinesAreRefused(line: String) {
        var ledger = Ledger()
        #expect(throws: Ledger.UnreadableLine.self) { try ledger.add("absent\ta\tb\n" + line) }
    }

    @Test func theMiddleAndItsSpreadComeFromSortedSamples() throws {
        var ledger = Ledger()
        for nanoseconds in [50.0, 10, 40, 20, 30] { ledger.note(.time(nanoseconds), of: "a", by: "x") }
        let record = try #require(ledger.record("x", "a"))
        #expect(record.best == 10)
        #expect(record.median == 30)
        #expect(record.spread == (40.0 - 20) / 30)
    }
}
