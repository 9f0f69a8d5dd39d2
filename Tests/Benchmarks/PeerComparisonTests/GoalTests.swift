import PeerComparison
import Testing

@Suite struct GoalTests {
    private let ledger: Ledger = {
        var ledger = Ledger()
        ledger.note(.time(100), of: "a", by: "ours")
        ledger.note(.allocations(1), of: "a", by: "ours")
        ledger.note(.time(500), of: "a", by: "peer")
        return ledger
    }()

    @Test(arguments: [(Goal.Bound.nanoseconds(50), true), (.nanoseconds(49), false)])
    func nanosecondsAreScaledByTheYardstick(bound: Goal.Bound, isMet: Bool) {
        // Twice as slow as the machine that the goals are for.
        #expect(Goal("ours", "a", "", bound).judged(by: ledger, yardstick: 110).isMet == isMet)
    }

    @Test(arguments: [(1 / 5.0, true), (1 / 6.0, false)])
    func factorsAreThoseOfAPeer(factor: Double, isMet: Bool) {
        let goal = Goal("ours", "a", "", .times(factor, who: "peer", operation: "a"))
        #expect(goal.judged(by: ledger, yardstick: nil).isMet == isMet)
    }

    @Test func nothingIsJudgedWithoutBothSides() {
        let missing = Goal("ours", "a", "", .times(1, who: "absent", operation: "a"))
        #expect(missing.judged(by: ledger, yardstick: 55).isMet == nil)
        #expect(Goal("ours", "a", "", .nanoseconds(1000)).judged(by: ledger, yardstick: nil).isMet == nil)
        #expect(Goal("ours", "b", "", .allocations(0)).judged(by: ledger, yardstick: 55).isMet == nil)
        #expect(Goal("ours", "a", "", .allocations(0)).judged(by: ledger, yardstick: 55).isMet == false)
    }
}
