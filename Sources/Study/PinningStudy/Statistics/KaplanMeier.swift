/// The product-limit estimate of survival (Kaplan and Meier 1958), for lives that ended or were cut off by the
/// recording's end.
public struct KaplanMeier: Sendable {
    /// From `days` on, until the next step, a share of `survival` is alive.
    public struct Step: Codable, Equatable, Sendable {
        /// The time at which at least one life ended.
        public let days: Double
        /// The share that is alive right after this time.
        public let survival: Double
    }

    /// The lives of one host that ended at one time, and those that were cut off at that time.
    struct Tally: Equatable {
        let seconds: Int64
        let host: Int
        var ended = 0
        var cut = 0
    }

    /// In ascending order of time; several hosts may have an entry for one time.
    private let tallies: [Tally]
    private let livesOfHost: [Int]

    /// Counts the lives of each host by time.
    ///
    /// - Parameter late: `false` assumes the earliest possible time of every change, `true` the latest.
    init(_ hosts: [[PinLife]], late: Bool) {
        var tallies: [Tally] = []
        for (host, lives) in hosts.enumerated() {
            for life in lives {
                let end = life.dead.map { late ? $0 : life.alive } ?? life.alive
                tallies.append(
                    Tally(seconds: end, host: host, ended: life.dead == nil ? 0 : 1, cut: life.dead == nil ? 1 : 0)
                )
            }
        }
        tallies.sort { ($0.seconds, $0.host) < ($1.seconds, $1.host) }
        var merged: [Tally] = []
        for tally in tallies {
            if let last = merged.last, last.seconds == tally.seconds, last.host == tally.host {
                merged[merged.count - 1].ended += tally.ended
                merged[merged.count - 1].cut += tally.cut
            } else {
                merged.append(tally)
            }
        }
        self.tallies = merged
        livesOfHost = hosts.map(\.count)
    }

    /// All steps of the estimate if each host counts `weights` times; shares are not rounded.
    func steps(weights: [Int]? = nil) -> [Step] {
        var steps: [Step] = []
        walk(weights: weights) { days, survival in steps.append(Step(days: days, survival: survival)) }
        return steps
    }

    /// Computes median, restricted mean and survival at given days in one pass.
    func summary(weights: [Int]? = nil, at grid: [Double], horizon: Double) -> Summary {
        var summary = Summary(survival: [], median: nil, restrictedMean: 0)
        summary.survival.reserveCapacity(grid.count)
        var survival = 1.0
        var from = 0.0
        var next = 0
        walk(weights: weights) { days, after in
            while next < grid.count, grid[next] < days {
                summary.survival.append(survival)
                next += 1
            }
            if from < horizon { summary.restrictedMean += survival * (min(days, horizon) - from) }
            from = days
            survival = after
            // A product that equals one half may differ slightly in floating point.
            if summary.median == nil, survival <= 0.5 + 1e-12 { summary.median = days }
        }
        while next < grid.count {
            summary.survival.append(survival)
            next += 1
        }
        // After the last step the estimate is constant, even if the last life was cut off before the horizon.
        if from < horizon { summary.restrictedMean += survival * (horizon - from) }
        return summary
    }

    struct Summary {
        /// The share at each day of the grid.
        var survival: [Double]
        /// The first day on which at most half are alive; `nil` if more than half are alive at the end.
        var median: Double?
        /// The area under the curve up to the horizon.
        var restrictedMean: Double
    }

    @inline(__always)
    private func walk(weights: [Int]?, _ step: (_ days: Double, _ survival: Double) -> Void) {
        var atRisk = 0
        for host in livesOfHost.indices { atRisk += livesOfHost[host] * (weights?[host] ?? 1) }
        var survival = 1.0
        var index = 0
        while index < tallies.count, atRisk > 0 {
            let seconds = tallies[index].seconds
            var (ended, cut) = (0, 0)
            while index < tallies.count, tallies[index].seconds == seconds {
                let weight = weights?[tallies[index].host] ?? 1
                ended += tallies[index].ended * weight
                cut += tallies[index].cut * weight
                index += 1
            }
            if ended > 0 {
                survival *= 1 - Double(ended) / Double(atRisk)
                step(Double(seconds) / 86_400, survival)
            }
            atRisk -= ended + cut
        }
    }
}
