/// Measures contestants in turns, so that a slow minute of the machine hits all of them.
package struct Rounds {
    /// How many samples each contestant gives.
    package var count: Int
    /// How long a sample takes, about.
    package var sampleNanoseconds: UInt64

    package init(count: Int, sampleNanoseconds: UInt64) {
        self.count = count
        self.sampleNanoseconds = sampleNanoseconds
    }

    /// Notes the processor time that each contestant takes for one operation, once a round.
    package func run(_ contestants: [Contestant], into ledger: inout Ledger) {
        let counts = contestants.map(operationsOfASample)
        for _ in 0..<count {
            for (contestant, operations) in zip(contestants, counts) {
                let nanoseconds = contestant.mean(of: operations, Clock.processor)
                ledger.note(.time(nanoseconds), of: contestant.operation, by: contestant.who)
            }
        }
    }

    /// Doubles until a sample is long enough; warms caches on the way.
    private func operationsOfASample(_ contestant: Contestant) -> Int {
        var operations = 1
        while contestant.mean(of: operations, Clock.processor) * Double(operations) < Double(sampleNanoseconds) {
            operations *= 2
        }
        return operations
    }
}
