internal import Histogram
package import PeerComparison

/// Measures percentiles of single calls in units of a yardstick that runs in turns with them, in the same process.
///
/// If one call in 500 waits for 20 µs, the mean of calls of 1 µs grows by 4 %, and the quickest calls, which ``RatioMeter`` takes,
/// stay as they are. The p99.9 grows to 21 µs. Time is elapsed time, because a call that waits uses no processor.
///
/// A sample is one call, or a few if one is too short for the clock, whose reading takes some 20 ns. That is part of all samples
/// and not subtracted. A sample of the yardstick takes about as long, so that a busy machine interrupts both equally often. A round
/// records samples of both, in turns, in two histograms, and divides each percentile by the same one of the yardstick.
/// The result is the median of the quietest rounds: those in which the samples of the yardstick took the least time, interruptions
/// included.
package struct TailMeter {
    /// So many of 100 samples take no longer.
    package enum Percentile: String, CaseIterable, Sendable {
        case p50
        case p99
        case p999 = "p99.9"

        fileprivate var value: Double {
            switch self {
            case .p50: 50
            case .p99: 99
            case .p999: 99.9
            }
        }
    }

    /// Of each, in a round. Two may be slower than the p99.9, such as two that a timer of the system interrupts.
    package static let samples = 2_000
    /// The median is of so many.
    package static let quietRounds = RatioMeter.leastRounds

    private let rounds: Int
    private let clock: Meter

    /// - Parameters:
    ///   - rounds: how many are measured, of which the quietest count.
    ///   - clock: elapsed time, outside of tests.
    package init(rounds: Int = 8 * quietRounds, clock: @escaping Meter = Clock.monotonic) {
        precondition(rounds >= Self.quietRounds, "only \(rounds) rounds to take \(Self.quietRounds) from")
        self.rounds = rounds
        self.clock = clock
    }

    /// Each percentile of a call, in units of the yardstick.
    ///
    /// The yardstick is ``Yardstick/wide`` for all operations, because engine calls, which the ratio of a decision is measured by, may stall
    /// like the decision.
    ///
    /// - Parameter calls: how many make a sample.
    package func ratios(
        of implementation: MeasuredImplementation,
        calls: Int,
        to yardstick: MeasuredImplementation = Yardstick.wide.implementation()
    ) -> [Percentile: Double] {
        let units = units(of: yardstick, asLongAs: calls, of: implementation)
        let all = (0..<rounds).map { _ in
            var ours = Histogram<UInt32>(numberOfSignificantValueDigits: .three)
            var theirs = ours
            for _ in 0..<Self.samples {
                ours.record(implementation.once(clock, calls: calls))
                theirs.record(yardstick.once(clock, calls: units))
            }
            let ratios = Percentile.allCases.map { percentile in
                let call = Double(ours.valueAtPercentile(percentile.value)) / Double(calls)
                return call / (Double(theirs.valueAtPercentile(percentile.value)) / Double(units))
            }
            return (ratios: ratios, noise: theirs.mean)
        }
        let medians = Percentile.allCases.enumerated().map { index, percentile in
            let ratios = all.map { RatioMeter.Round(ratio: $0.ratios[index], noise: $0.noise) }
            return (percentile, RatioMeter.Round.median(ratios, quietest: Self.quietRounds))
        }
        return Dictionary(uniqueKeysWithValues: medians)
    }

    /// The number of units that take as long as a sample of `implementation`; warms caches on the way.
    private func units(
        of yardstick: MeasuredImplementation,
        asLongAs calls: Int,
        of implementation: MeasuredImplementation
    ) -> Int {
        let call = implementation.mean(of: Self.samples, clock)
        return max(1, Int((call * Double(calls) / yardstick.mean(of: Self.samples, clock)).rounded()))
    }
}
