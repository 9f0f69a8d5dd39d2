/// What the gates have to say about one operation.
package enum GateResult: Equatable, Sendable {
    /// The gates, each exact in what it claims.
    package enum Gate: String, CaseIterable, Sendable {
        case ratio, instructions, allocations, retains
    }

    /// Measured, and nothing to compare it with, where others have a number: a failure, since it is new and has to
    /// bring its own.
    case notCommitted(Gate)
    /// The same, where nothing has a number: another machine, compiler or architecture. Reported.
    case notComparable(Gate)
    /// Committed, and not measured: a failure, or an operation would leave the gate without a word.
    case notMeasured(Gate)
    /// Outside what is allowed.
    case changed(Gate, committed: Double, measured: Double, tolerance: Double)
    /// Slower than its ratio allows, in so many runs.
    case slower(committed: Double, measured: Double, tolerance: Double, votes: Int, runs: Int)
    /// Slower than committed in all runs, but known to stray too far for its ratio to gate it: reported.
    case strays(committed: Double, measured: Double, tolerance: Double)
    /// Quicker than committed by more than the tolerance: reported, since a later loss could hide below it.
    case faster(committed: Double, measured: Double)
    /// Compared with another yardstick than the committed ratio.
    case otherYardstick(committed: String, measured: String)

    /// Whether a change with this result may not land.
    package var isFailure: Bool {
        switch self {
        case .changed, .slower, .notCommitted, .notMeasured, .otherYardstick: true
        case .notComparable, .strays, .faster: false
        }
    }

    /// A part of the number: instructions may stray by so much in either direction.
    package static let instructionTolerance = 0.01

    /// Allocations or retains an operation by which a committed number may be missed: random numbers decide when a table grows,
    /// once in 64 operations. Where few are committed, as in batches, a quarter of them is the limit: one more is more.
    static func countSlack(_ committed: Double) -> Double { min(0.02, committed / 4) }

    /// A part of the number: what is drawn at random decides how often a text is copied, for which many objects are retained.
    package static let retainTolerance = 0.000_5

    /// Compares what was measured by `gates` with what is committed for `machine`.
    ///
    /// - Parameter comparable: the gates for which some operation has a number here; see ``comparable(_:machine:)``.
    package static func all(
        _ measured: Measured,
        _ committed: CommittedNumbers,
        machine: String,
        gates: Set<Gate>,
        comparable: Set<Gate>
    ) -> [GateResult] {
        Gate.allCases.filter(gates.contains).compactMap { gate in
            let result =
                switch gate {
                case .allocations: compareCounts(gate, measured.allocations, committed.allocations, tolerance: 0)
                case .retains:
                    compareCounts(gate, measured.retains, committed.retains, tolerance: retainTolerance)
                case .instructions:
                    compare(gate, measured.instructions, committed.instructions, tolerance: instructionTolerance)
                case .ratio:
                    ratio(measured, committed.ratios[machine])
                }
            return result == .notCommitted(gate) && !comparable.contains(gate) ? .notComparable(gate) : result
        }
    }

    /// The gates for which one of the operations has a committed number: on `machine`, for ratios.
    package static func comparable(_ committed: [CommittedNumbers], machine: String) -> Set<Gate> {
        Set(
            Gate.allCases.filter { gate in
                committed.contains { numbers in
                    switch gate {
                    case .allocations: numbers.allocations != nil
                    case .retains: numbers.retains != nil
                    case .instructions: numbers.instructions != nil
                    case .ratio: numbers.ratios[machine] != nil
                    }
                }
            }
        )
    }

    private static func compareCounts(
        _ gate: Gate,
        _ measured: Double?,
        _ committed: Double?,
        tolerance: Double
    ) -> GateResult? {
        compare(gate, measured, committed, tolerance: tolerance, slack: committed.map(countSlack) ?? 0)
    }

    private static func compare(
        _ gate: Gate,
        _ measured: Double?,
        _ committed: Double?,
        tolerance: Double,
        slack: Double = 0
    ) -> GateResult? {
        guard let committed else { return measured == nil ? .notMeasured(gate) : .notCommitted(gate) }
        guard let measured else { return .notMeasured(gate) }
        // Files have four digits behind the point.
        guard abs(measured - committed) > committed * tolerance + slack + 0.000_05 else { return nil }
        return .changed(gate, committed: committed, measured: measured, tolerance: tolerance)
    }

    private static func ratio(_ measured: Measured, _ committed: CommittedNumbers.Ratio?) -> GateResult? {
        let ratios = measured.ratios.sorted()
        guard let yardstick = measured.yardstick, let best = ratios.first, let worst = ratios.last else {
            return .notMeasured(.ratio)
        }
        guard let committed else { return .notCommitted(.ratio) }
        guard yardstick == committed.yardstick else {
            return .otherYardstick(committed: committed.yardstick, measured: yardstick)
        }
        let (value, tolerance) = (committed.value, committed.tolerance)
        if worst < value * (1 - tolerance) { return .faster(committed: value, measured: worst) }
        guard committed.isGated else {
            return best > value * (1 + tolerance)
                ? .strays(committed: value, measured: best, tolerance: tolerance) : nil
        }
        switch RatioVote(ratios, committed) {
        case .passes: return nil
        case .isOpen: return .notMeasured(.ratio)
        case .fails(let votes, let runs):
            let middle = ratios[ratios.count / 2]
            return .slower(committed: value, measured: middle, tolerance: tolerance, votes: votes, runs: runs)
        }
    }
}

extension GateResult: CustomStringConvertible {
    /// One line: what differs, and by how much.
    package var description: String {
        switch self {
        case .notCommitted(let gate): "\(gate.rawValue): no committed number, where others have one"
        case .notComparable(let gate): "\(gate.rawValue): no committed number for this machine or compiler"
        case .notMeasured(let gate): "\(gate.rawValue): not measured, or not often enough"
        case .changed(let gate, let committed, let measured, let tolerance):
            "\(gate.rawValue): \(Self.difference(committed, measured)), \(Self.percent(tolerance)) allowed"
        case .slower(let committed, let measured, let tolerance, let votes, let runs):
            "ratio: \(Self.difference(committed, measured)), \(Self.percent(tolerance)) allowed, in \(votes) of \(runs) runs"
        case .strays(let committed, let measured, let tolerance):
            "ratio, too variable for the gate: \(Self.difference(committed, measured)), strays by \(Self.percent(tolerance))"
        case .faster(let committed, let measured):
            "ratio: \(Self.difference(committed, measured)): faster, commit it"
        case .otherYardstick(let committed, let measured):
            "ratio: committed beside \(committed), measured beside \(measured)"
        }
    }

    private static func difference(_ committed: Double, _ measured: Double) -> String {
        "\(Figure.text(committed)) committed, \(Figure.text(measured)) measured"
            + (committed > 0 ? " (\(percent(measured / committed - 1)))" : "")
    }

    private static func percent(_ part: Double) -> String {
        let tenths = (part * 1000).rounded() / 10
        return "\(tenths) %"
    }
}
