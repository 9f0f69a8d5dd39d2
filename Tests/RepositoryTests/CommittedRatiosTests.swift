import Foundation
import RegressionGate
import Testing

/// Checks of the committed numbers; they do not depend on the last measurement.
@Suite struct CommittedRatiosTests {
    private static func ratios() throws -> [(operation: String, ratio: CommittedNumbers.Ratio)] {
        let numbers = Repository.root.appending(path: "Benchmarks/Numbers")
        return try FileManager.default.subpathsOfDirectory(atPath: numbers.path).filter { $0.hasSuffix(".txt") }
            .flatMap { name in
                let text = try String(contentsOf: numbers.appending(path: name), encoding: .utf8)
                return try CommittedNumbers(parsing: text).ratios.values.map { (name, $0) }
            }
    }

    @Test("A decision takes at most a tenth more than the engine calls in it") func facade() throws {
        let facade = try Self.ratios().filter { $0.ratio.yardstick == "engines" }
        #expect(facade.count >= 7)
        for (operation, ratio) in facade { #expect(ratio.value <= 1.1, "\(operation)") }
    }

    @Test("One more wait for memory fails every look-up that is gated") func memory() throws {
        let lookups = try Self.ratios().filter { $0.ratio.yardstick == Tolerance.memoryYardstick && $0.ratio.isGated }
        #expect(lookups.count >= 4)
        for (operation, ratio) in lookups {
            let slower = [Double](repeating: ratio.value + 1, count: RatioVote.slowerRuns)
            #expect(RatioVote(slower, ratio) == .fails(slower: slower.count, runs: slower.count), "\(operation)")
        }
    }
}
