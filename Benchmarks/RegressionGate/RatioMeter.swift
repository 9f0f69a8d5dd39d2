package import PeerComparison

/// Measures the time of an operation in units of a yardstick that runs in turns with it, in the same process.
package struct RatioMeter {
    /// How many rounds a median is made of.
    package var rounds: Int
    /// How long a sample takes, about.
    package var sampleNanoseconds: UInt64

    package init(rounds: Int, sampleNanoseconds: UInt64) {
        precondition(rounds >= 15, "the median of \(rounds) rounds strays too far")
        self.rounds = rounds
        self.sampleNanoseconds = sampleNanoseconds
    }

    /// The median over the rounds; in each, the operation stands between two samples of its yardstick.
    package func ratio(of contestant: Contestant, per yardstick: Contestant) -> Double {
        let count = operations(of: contestant)
        let unit = operations(of: yardstick)
        var ratios: [Double] = []
        var before = yardstick.mean(of: unit, Clock.processor)
        for _ in 0..<rounds {
            let time = contestant.mean(of: count, Clock.processor)
            let after = yardstick.mean(of: unit, Clock.processor)
            ratios.append(2 * time / (before + after))
            before = after
        }
        return ratios.sorted()[rounds / 2]
    }

    /// Doubles until a sample is long enough; warms caches on the way.
    private func operations(of contestant: Contestant) -> Int {
        var operations = contestant.batch
        while contestant.mean(of: operations, Clock.processor) * Double(operations) < Double(sampleNanoseconds) {
            operations *= 2
        }
        return operations
    }
}
