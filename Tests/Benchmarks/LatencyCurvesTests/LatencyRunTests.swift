import Foundation
import LatencyCurves
import TestSupport
import Testing

@Suite struct LatencyRunTests {
    private static func folder() -> URL {
        TemporaryFolder.place("latencies")
    }

    @Test func aSavedRunIsReadAsItWas() throws {
        let folder = Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try RunFixture.run(["SiteTrie.verdict/hit/N=1000", "Pin.init/chain-0"])
        try run.write(to: folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(
            files == [
                "Pin.init_chain-0.closed.hgrm", "Pin.init_chain-0.open.hgrm", "SiteTrie.verdict_hit_N=1000.closed.hgrm",
                "SiteTrie.verdict_hit_N=1000.open.hgrm", "run.json",
            ]
        )
        let read = try LatencyRun(folder: folder)
        #expect(read.about == run.about && read.clockNanoseconds == 21)
        #expect(read.operations == run.operations)
        let entry = try #require(read.entry("Pin.init/chain-0", .open))
        #expect(entry.rate == 1e6 && entry.utilisation == 0.25)
        #expect(entry.curve == run.entry("Pin.init/chain-0", .open)?.curve)
    }

    @Test func aRunWhoseDistributionIsGoneIsAnError() throws {
        let folder = Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try RunFixture.run(["a"]).write(to: folder)
        try FileManager.default.removeItem(at: folder.appending(path: "a.open.hgrm"))
        #expect(throws: (any Error).self) { try LatencyRun(folder: folder) }
    }

    @Test func theTableSaysWhereTimeRanOut() throws {
        let run = try RunFixture.run(["a"])
        let table = try #require(run.table(.open, wanted: 10_000))
        #expect(table.contains("5020, out of time"))
        #expect(table.contains("1000000") && table.contains("25 %"))
        #expect(try #require(run.table(.closed, wanted: 5_020)).contains("out of time") == false)
        // p99.999 of five thousand calls is not known.
        #expect(table.contains("·"))
    }

    @Test(arguments: [
        (41.0, "41 ns"), (9_999, "9999 ns"), (10_000, "10.0 µs"), (123_456, "123 µs"), (2.5e7, "25.0 ms"),
    ])
    func unitsAreReadable(nanoseconds: Double, text: String) { #expect(LatencyRun.text(nanoseconds) == text) }
}
