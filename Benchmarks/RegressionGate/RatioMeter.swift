package import PeerComparison

/// Measures the time of operations in units of yardsticks that run in turns with them, in the same process.
///
/// A sample is so short that most samples are not interrupted. A round takes several, of the operation and of its yardstick
/// in turns, and divides the quickest by the quickest. All operations have their first round before any has its second,
/// so that the rounds of one are spread over seconds. The ratio is the median of the quietest rounds: those in which a
/// probe that needs the whole processor was quickest. A neighbour on the same core slows code down the more, the more of
/// it the processor would do at once, so that rounds with and without one cannot be compared.
package struct RatioMeter {
    /// How many rounds are measured, and of how many the median is.
    package var rounds: Int
    package var quietRounds: Int
    /// How many samples of each a round takes.
    package var samples: Int
    /// How long a sample takes, about.
    package var sampleNanoseconds: UInt64
    /// Processor time, outside of tests.
    private let clock: Meter

    /// The fewest rounds whose median is worth a comparison.
    package static let leastRounds = 15

    package init(
        rounds: Int = 4 * leastRounds,
        quietRounds: Int = leastRounds,
        samples: Int = 6,
        sampleNanoseconds: UInt64 = 100_000,
        clock: @escaping Meter = Clock.processor
    ) {
        precondition(quietRounds >= Self.leastRounds, "the median of \(quietRounds) rounds strays too far")
        precondition(rounds >= quietRounds, "only \(rounds) rounds to take \(quietRounds) from")
        (self.rounds, self.quietRounds) = (rounds, quietRounds)
        self.samples = samples
        self.sampleNanoseconds = sampleNanoseconds
        self.clock = clock
    }

    /// The ratio of each pair.
    package func ratios(
        _ pairs: [(implementation: MeasuredImplementation, yardstick: MeasuredImplementation)],
        probe: MeasuredImplementation
    ) -> [Double] {
        let counts = pairs.map { (operations(of: $0.implementation), operations(of: $0.yardstick)) }
        let probes = operations(of: probe)
        var all = [[Round]](repeating: [], count: pairs.count)
        for _ in 0..<rounds {
            for (index, pair) in pairs.enumerated() {
                var (best, bestUnit, noise) = (Double.infinity, Double.infinity, Double.infinity)
                for _ in 0..<samples {
                    best = min(best, pair.implementation.mean(of: counts[index].0, clock))
                    bestUnit = min(bestUnit, pair.yardstick.mean(of: counts[index].1, clock))
                    noise = min(noise, probe.mean(of: probes, clock))
                }
                all[index].append(Round(ratio: best / bestUnit, noise: noise))
            }
        }
        return all.map { Round.median($0, quietest: quietRounds) }
    }

    /// What a round says, and how busy the machine was.
    package struct Round {
        package let ratio: Double
        /// How long the probe took.
        package let noise: Double

        package init(ratio: Double, noise: Double) {
            self.ratio = ratio
            self.noise = noise
        }

        /// The median ratio of the `count` quietest rounds.
        ///
        /// - Precondition: there are as many.
        package static func median(_ rounds: [Round], quietest count: Int) -> Double {
            rounds.sorted { $0.noise < $1.noise }.prefix(count).map(\.ratio).sorted()[count / 2]
        }
    }

    /// Doubles until a sample is long enough; warms caches on the way.
    private func operations(of implementation: MeasuredImplementation) -> Int {
        var operations = implementation.batch
        while implementation.mean(of: operations, clock) * Double(operations) < Double(sampleNanoseconds) {
            operations *= 2
        }
        return operations
    }
}
