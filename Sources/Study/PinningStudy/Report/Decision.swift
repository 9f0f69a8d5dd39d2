/// Which strategy the numbers speak for, and how surely.
///
/// A lock-out is certain harm and an impostor a possible one. So the strategy that locks users out for the least time is chosen, and a
/// narrower one in its place only if the recording shows that it costs no more than ``acceptedDays``.
struct Decision {
    /// So many days a year of lock-out more are accepted for fewer keys that could impersonate a host.
    static let acceptedDays = 1.0

    let choice: StrategyReport
    /// The strategy with the least lock-out; often ``choice``.
    let least: StrategyReport
    /// The strategies that are shown to lock users out for longer than ``choice``.
    let worse: [String]
    /// The strategies whose difference from ``choice`` may be chance.
    let undecided: [String]

    /// - Returns: `nil` without strategies.
    init?(_ strategies: [StrategyReport], _ comparisons: [Comparison]) {
        let quiet = strategies.filter { $0.outages.count == 0 }
        guard let least = (quiet.isEmpty ? strategies : quiet).min(by: { $0.lockOut < $1.lockOut }) else { return nil }
        func difference(_ strategy: StrategyReport, from other: StrategyReport) -> Difference? {
            comparisons.lazy.compactMap { Difference(of: strategy.name, from: other.name, $0) }.first
        }
        let narrower = strategies.filter { strategy in
            guard quiet.isEmpty, strategy.exposure.keys < least.exposure.keys,
                let high = difference(strategy, from: least)?.high
            else { return false }
            return high < Self.acceptedDays
        }
        let choice = narrower.min { ($0.exposure.keys, $0.cost.pins) < ($1.exposure.keys, $1.cost.pins) } ?? least
        var (worse, undecided): ([String], [String]) = ([], [])
        for strategy in strategies where strategy.name != choice.name {
            guard let difference = difference(strategy, from: choice) else { continue }
            if difference.isShownWorse { worse.append(strategy.name) } else { undecided.append(strategy.name) }
        }
        (self.choice, self.least, self.worse, self.undecided) = (choice, least, worse, undecided)
    }

    /// How much longer one strategy locks users out than another.
    private struct Difference {
        let low: Double?
        let high: Double?
        let signTest: Double

        /// `nil` if the comparison is of other strategies.
        init?(of one: String, from other: String, _ comparison: Comparison) {
            switch (comparison.one, comparison.other) {
            case (one, other): (low, high) = (comparison.band?.low, comparison.band?.high)
            case (other, one): (low, high) = (comparison.band?.high.map { -$0 }, comparison.band?.low.map { -$0 })
            default: return nil
            }
            signTest = comparison.signTest
        }

        var isShownWorse: Bool { low.map { $0 > 0 } == true && signTest < 1 - StudyParameters.confidence }
    }
}

extension StrategyReport {
    /// The order of lock-out; strategies that lock users out for the same time are in the order of their keys and pins.
    fileprivate var lockOut: (Double, Int, Double, Double) {
        (outages.userDaysPerHostYear.late, outages.count, exposure.keys, cost.pins)
    }
}
