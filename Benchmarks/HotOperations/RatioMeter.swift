package import PeerComparison

/// Measures the time of an operation in units of a yardstick that runs in turns with it, in the same process.
///
/// A sample is so short that most samples are not interrupted. A round takes several, of the operation and of its yardstick
/// in turns, and divides the quickest by the quickest. The ratio is the median of the quietest rounds: those in which a
/// probe that needs the whole processor was quickest. Another program on the same core slows code down more if that code
/// uses more of the core at once, so rounds with and without one cannot be compared.
package struct RatioMeter {
    /// How many rounds are measured, and of how many the median is.
    package var rounds: Int
    package var quietRounds: Int
    /// How many samples of each a round takes.
    package var samples: Int
    /// The approximate duration of a sample.
    package var sampleNanoseconds: UInt64
    /// Processor time, outside of tests.
    private let clock: Meter

    /// The median of fewer rounds varies too much.
    package static let leastRounds = 15

    package init(
        rounds: Int = 4 * leastRounds,
        quietRounds: Int = leastRounds,
        samples: Int = 6,
        sampleNanoseconds: UInt64 = 100_000,
        clock: @escaping Meter = Clock.processor
    ) {
        precondition(quietRounds >= Self.leastRounds, "the median of \(quietRounds) rounds varies too much")
        precondition(rounds >= quietRounds, "only \(rounds) rounds to take \(quietRounds) from")
        (self.rounds, self.quietRounds) = (rounds, quietRounds)
        self.samples = samples
        self.sampleNanoseconds = sampleNanoseconds
        self.clock = clock
    }

    /// The ratio of a hot operation to its yardstick.
    package func ratio(of operation: HotOperation) -> Double {
        ratio(
            of: operation.implementation,
            to: operation.yardstick.implementation(),
            probe: Yardstick.wide.implementation()
        )
    }

    /// The time of `implementation` divided by the time of `yardstick`.
    package func ratio(
        of implementation: MeasuredImplementation,
        to yardstick: MeasuredImplementation,
        probe: MeasuredImplementation
    ) -> Double {
        let (count, unitCount, probeCount) = (
            operations(of: implementation), operations(of: yardstick), operations(of: probe)
        )
        let all = (0..<rounds).map { _ in
            var (best, bestUnit, noise) = (Double.infinity, Double.infinity, Double.infinity)
            for _ in 0..<samples {
                best = min(best, implementation.mean(of: count, clock))
                bestUnit = min(bestUnit, yardstick.mean(of: unitCount, clock))
                noise = min(noise, probe.mean(of: probeCount, clock))
            }
            return Round(ratio: best / bestUnit, noise: noise)
        }
        return Round.median(all, quietest: quietRounds)
    }

    /// One round: its ratio, and how busy the machine was.
    package struct Round {
        package let ratio: Double
        /// The time of the probe.
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
