import PeerComparison
import Testing

@Suite struct GoalTests {
    private let measurementFile: MeasurementFile = {
        var measurementFile = MeasurementFile()
        measurementFile.note(.time(100), of: "a", by: "ours")
        measurementFile.note(.allocations(1), of: "a", by: "ours")
        measurementFile.note(.time(500), of: "a", by: "peer")
        return measurementFile
    }()

    @Test(arguments: [(Goal.Bound.nanoseconds(50), true), (.nanoseconds(49), false)])
    func nanosecondsAreScaledByTheYardstick(bound: Goal.Bound, isMet: Bool) {
        // Twice as slow as the machine that the goals are for.
        #expect(Goal("ours", "a", "", bound).outcome(by: measurementFile, yardstick: 110).isMet == isMet)
    }

    @Test(arguments: [(1 / 5.0, true), (1 / 6.0, false)])
    func factorsAreThoseOfAPeer(factor: Double, isMet: Bool) {
        let goal = Goal("ours", "a", "", .times(factor, who: "peer", operation: "a"))
        #expect(goal.outcome(by: measurementFile, yardstick: nil).isMet == isMet)
    }

    @Test func nothingIsCheckedWithoutBothSides() {
        let missing = Goal("ours", "a", "", .times(1, who: "absent", operation: "a"))
        #expect(missing.outcome(by: measurementFile, yardstick: 55).isMet == nil)
        #expect(Goal("ours", "a", "", .nanoseconds(1000)).outcome(by: measurementFile, yardstick: nil).isMet == nil)
        #expect(Goal("ours", "b", "", .allocations(0)).outcome(by: measurementFile, yardstick: 55).isMet == nil)
        #expect(Goal("ours", "a", "", .allocations(0)).outcome(by: measurementFile, yardstick: 55).isMet == false)
    }
}
