import RegressionGate
import Testing

@Suite struct FindingTests {
    private let committed = try? CommittedNumbers(
        parsing: "allocations 1\ninstructions 1000\nratio here scalar 2 0.05\n"
    )

    private func findings(
        allocations: Double? = 1,
        instructions: Double? = 1000,
        ratios: [Double] = [2],
        yardstick: String? = "scalar"
    ) throws -> [Finding] {
        var measured = Measured()
        measured.allocations = allocations
        measured.instructions = instructions
        measured.ratios = ratios
        measured.yardstick = yardstick
        let gates = Set(Finding.Gate.allCases)
        return Finding.all(measured, try #require(committed), machine: "here", gates: gates)
    }

    @Test func whatIsAsCommittedPasses() throws {
        #expect(try findings().isEmpty)
    }

    @Test("A part of an allocation is one too many, and so is one too few", arguments: [0, 0.99, 1.01, 2])
    func allocationsAreExact(count: Double) throws {
        let expected = Finding.changed(.allocations, committed: 1, measured: count, tolerance: 0)
        #expect(try findings(allocations: count) == [expected] && expected.isFailure)
    }

    @Test(arguments: [(980, false), (991, true), (1009, true), (1011, false)])
    func instructionsMayStrayByOneInAHundred(count: Double, isFine: Bool) throws {
        #expect(try findings(instructions: count).isEmpty == isFine)
    }

    @Test func aRatioHasToBeWrongEachTime() throws {
        #expect(try findings(ratios: [2.3, 2.2, 2.09]).isEmpty)
        let slower = try findings(ratios: [2.3, 2.11, 2.2])
        #expect(slower == [.changed(.ratio, committed: 2, measured: 2.11, tolerance: 0.05)])
        #expect(slower.allSatisfy { $0.isFailure })
    }

    @Test func aFasterOneIsSaidAloud() throws {
        let found = try findings(ratios: [1.5, 1.6])
        #expect(found == [.faster(committed: 2, measured: 1.6)])
        #expect(!found.contains { $0.isFailure })
    }

    @Test func anotherYardstickIsNoComparison() throws {
        let found = try findings(yardstick: "memory")
        #expect(found == [.otherYardstick(committed: "scalar", measured: "memory")])
        #expect(found.allSatisfy { $0.isFailure })
    }

    @Test func nothingLeavesTheGateInSilence() throws {
        let found = try findings(allocations: nil, instructions: nil, ratios: [], yardstick: nil)
        #expect(found == [.notMeasured(.ratio), .notMeasured(.instructions), .notMeasured(.allocations)])
        #expect(found.allSatisfy { $0.isFailure })
    }

    @Test func whatIsNotCommittedIsSaidAloud() throws {
        var measured = Measured()
        measured.allocations = 0
        measured.ratios = [1]
        measured.yardstick = "scalar"
        let found = Finding.all(measured, CommittedNumbers(), machine: "here", gates: [.ratio, .allocations])
        #expect(found == [.notCommitted(.ratio), .notCommitted(.allocations)])
        #expect(!found.contains { $0.isFailure })
        // Another machine's ratio is none for this one.
        let elsewhere = Finding.all(measured, try #require(committed), machine: "there", gates: [.ratio])
        #expect(elsewhere == [.notCommitted(.ratio)])
    }

    @Test func onlyTheGatesAskedForSpeak() throws {
        let none = Finding.all(Measured(), try #require(committed), machine: "here", gates: [.instructions])
        #expect(none == [.notMeasured(.instructions)])
    }
}
