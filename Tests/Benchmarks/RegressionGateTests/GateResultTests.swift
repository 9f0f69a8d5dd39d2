import RegressionGate
import Testing

@Suite struct GateResultTests {
    private let committed = try? CommittedNumbers(
        parsing: "allocations 1\ninstructions 1000\nretains 3\nratio here scalar 2 0.05\n"
    )

    private func results(
        allocations: Double? = 1,
        instructions: Double? = 1000,
        retains: Double? = 3,
        ratios: [Double] = [2],
        yardstick: String? = "scalar"
    ) throws -> [GateResult] {
        var measured = Measured()
        measured.allocations = allocations
        measured.instructions = instructions
        measured.retains = retains
        measured.ratios = ratios
        measured.yardstick = yardstick
        let gates = Set(GateResult.Gate.allCases)
        return GateResult.all(measured, try #require(committed), machine: "here", gates: gates, comparable: gates)
    }

    @Test func whatIsAsCommittedPasses() throws {
        #expect(try results().isEmpty)
    }

    @Test("A part of an allocation is too much, and so is a part too little", arguments: [0, 0.97, 1.03, 2])
    func allocationsAreExact(count: Double) throws {
        let expected = GateResult.changed(.allocations, committed: 1, measured: count, tolerance: 0)
        #expect(try results(allocations: count) == [expected] && expected.isFailure)
    }

    @Test("A random number may make a table grow once in 64 operations, but not where nothing is allocated")
    func allocationsMayVaryALittle() throws {
        #expect(try results(allocations: 1 + 1.0 / 64) == [])
        #expect(try results(allocations: 1 - 1.0 / 64) == [])
        #expect(try results(allocations: 1 + 1.0 / 16).count == 1)
    }

    @Test(
        "Few allocations in many operations are held to less",
        arguments: [(0.0, 1.0 / 64), (0.0313, 0.0469), (0.002, 0.003)]
    )
    func aBatchMayNotAllocateOnceMore(committed: Double, measured: Double) throws {
        let numbers = try CommittedNumbers(parsing: "allocations \(committed)\n")
        func fails(_ allocations: Double) -> Bool {
            var measured = Measured()
            measured.allocations = allocations
            let gates: Set<GateResult.Gate> = [.allocations]
            let found = GateResult.all(measured, numbers, machine: "here", gates: gates, comparable: gates)
            return found.contains { $0.isFailure }
        }
        #expect(fails(measured))
        #expect(!fails(committed))
    }

    @Test("Retains are counted like allocations", arguments: [0, 2.97, 3.03, 4])
    func retainsAreExact(count: Double) throws {
        let expected = GateResult.changed(
            .retains,
            committed: 3,
            measured: count,
            tolerance: GateResult.retainTolerance
        )
        #expect(try results(retains: count) == [expected] && expected.isFailure)
        #expect(try results(retains: 3 + 1.0 / 64) == [])
    }

    @Test(
        "Where many are retained a few in a hundred operations are chance",
        arguments: [(135.95, false), (136.0, true)]
    )
    func manyRetainsMayVaryALittle(measured: Double, fails: Bool) throws {
        let numbers = try CommittedNumbers(parsing: "retains 135.875\n")
        var now = Measured()
        now.retains = measured
        let found = GateResult.all(now, numbers, machine: "here", gates: [.retains], comparable: [.retains])
        #expect(found.contains { $0.isFailure } == fails)
    }

    @Test func whereNothingIsRetainedNothingMayBe() throws {
        let none = try CommittedNumbers(parsing: "retains 0\n")
        var measured = Measured()
        measured.retains = 1.0 / 1024
        let found = GateResult.all(measured, none, machine: "here", gates: [.retains], comparable: [.retains])
        #expect(found.map(\.isFailure) == [true])
    }

    @Test(arguments: [(980, false), (991, true), (1009, true), (1011, false)])
    func instructionsMayStrayByOneInAHundred(count: Double, isFine: Bool) throws {
        #expect(try results(instructions: count).isEmpty == isFine)
    }

    @Test func aSlowerOneFailsWithItsVotes() throws {
        #expect(try results(ratios: [2.3, 2.2, 2.2, 2.2, 2.2, 2.09, 2.09, 2.09]).isEmpty)
        let slower = try results(ratios: [2.3, 2.11, 2.2, 2.2, 2.2, 2.2, 2, 2.2])
        #expect(slower == [.slower(committed: 2, measured: 2.2, tolerance: 0.05, votes: 7, runs: 8)])
        #expect(slower.allSatisfy { $0.isFailure } && slower.map(\.description).joined().contains("in 7 of 8 runs"))
    }

    @Test func anUnfinishedVoteDoesNotPass() throws {
        let found = try results(ratios: [2.2, 2.2])
        #expect(found == [.notMeasured(.ratio)])
        #expect(found.allSatisfy { $0.isFailure })
    }

    @Test func whatIsTooVariableIsReportedAndPasses() throws {
        let tooVariable = try CommittedNumbers(parsing: "watched here lines 2 0.5")
        var measured = Measured()
        measured.yardstick = "lines"
        measured.ratios = [3.5, 3.1]
        let gates: Set<GateResult.Gate> = [.ratio]
        let found = GateResult.all(measured, tooVariable, machine: "here", gates: gates, comparable: gates)
        #expect(found == [.strays(committed: 2, measured: 3.1, tolerance: 0.5)])
        #expect(!found.contains { $0.isFailure })
        measured.ratios = [3.5, 2.9]
        #expect(GateResult.all(measured, tooVariable, machine: "here", gates: gates, comparable: gates).isEmpty)
    }

    @Test func aFasterOneIsReported() throws {
        let found = try results(ratios: [1.5, 1.6])
        #expect(found == [.faster(committed: 2, measured: 1.6)])
        #expect(!found.contains { $0.isFailure })
        #expect(try results(ratios: [1.5, 1.9]).isEmpty)
    }

    @Test func anotherYardstickIsNoComparison() throws {
        let found = try results(yardstick: "memory")
        #expect(found == [.otherYardstick(committed: "scalar", measured: "memory")])
        #expect(found.allSatisfy { $0.isFailure })
    }

    @Test func nothingLeavesTheGateInSilence() throws {
        let found = try results(allocations: nil, instructions: nil, retains: nil, ratios: [], yardstick: nil)
        #expect(found == GateResult.Gate.allCases.map { .notMeasured($0) })
        #expect(found.allSatisfy { $0.isFailure })
    }

    @Test func aNewOperationHasToBringItsNumbers() throws {
        var measured = Measured()
        measured.allocations = 0
        measured.ratios = [1]
        measured.yardstick = "scalar"
        let gates: Set<GateResult.Gate> = [.ratio, .allocations]
        let found = GateResult.all(measured, CommittedNumbers(), machine: "here", gates: gates, comparable: gates)
        #expect(found == [.notCommitted(.ratio), .notCommitted(.allocations)])
        #expect(found.allSatisfy { $0.isFailure })
    }

    @Test func anotherMachineOrCompilerIsReported() throws {
        var measured = Measured()
        measured.instructions = 1000
        measured.ratios = [1]
        measured.yardstick = "scalar"
        let numbers = try #require(committed)
        let gates: Set<GateResult.Gate> = [.ratio, .instructions]
        let comparable = GateResult.comparable([CommittedNumbers(), numbers], machine: "there")
        #expect(comparable == [.instructions, .allocations, .retains])
        #expect(GateResult.comparable([numbers], machine: "here") == Set(GateResult.Gate.allCases))
        #expect(GateResult.comparable([], machine: "here").isEmpty)
        let found = GateResult.all(measured, numbers, machine: "there", gates: gates, comparable: comparable)
        #expect(found == [.notComparable(.ratio)])
        #expect(!found.contains { $0.isFailure })
    }

    @Test func onlyTheGatesAskedForSpeak() throws {
        let gates = Set(GateResult.Gate.allCases)
        let none = GateResult.all(
            Measured(),
            try #require(committed),
            machine: "here",
            gates: [.instructions],
            comparable: gates
        )
        #expect(none == [.notMeasured(.instructions)])
    }
}
