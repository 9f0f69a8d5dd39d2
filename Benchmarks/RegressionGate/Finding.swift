/// What the gates have to say about one operation.
package enum Finding: Equatable, Sendable {
    /// The gates, each exact in what it claims.
    package enum Gate: String, CaseIterable, Sendable {
        case ratio, instructions, allocations
    }

    /// Measured, and nothing to compare it with: reported aloud, but no failure.
    case notCommitted(Gate)
    /// Committed, and not measured: a failure, or an operation would leave the gate without a word.
    case notMeasured(Gate)
    /// Outside what is allowed.
    case changed(Gate, committed: Double, measured: Double, tolerance: Double)
    /// Quicker than committed by more than the tolerance: reported aloud, since a later loss could hide below it.
    case faster(committed: Double, measured: Double)
    /// Compared with another yardstick than the committed ratio.
    case otherYardstick(committed: String, measured: String)

    /// Whether a change with this finding may not land.
    package var isFailure: Bool {
        switch self {
        case .changed, .notMeasured, .otherYardstick: true
        case .notCommitted, .faster: false
        }
    }

    /// A part of the number: instructions may stray by so much in either direction.
    package static let instructionTolerance = 0.01

    /// Compares what was measured by `gates` with what is committed for `machine`.
    package static func all(
        _ measured: Measured,
        _ committed: CommittedNumbers,
        machine: String,
        gates: Set<Gate>
    ) -> [Finding] {
        Gate.allCases.filter(gates.contains).compactMap { gate in
            switch gate {
            case .allocations:
                compare(gate, measured.allocations, committed.allocations, tolerance: 0)
            case .instructions:
                compare(gate, measured.instructions, committed.instructions, tolerance: instructionTolerance)
            case .ratio:
                ratio(measured, committed.ratios[machine])
            }
        }
    }

    private static func compare(_ gate: Gate, _ measured: Double?, _ committed: Double?, tolerance: Double) -> Finding?
    {
        guard let committed else { return measured == nil ? nil : .notCommitted(gate) }
        guard let measured else { return .notMeasured(gate) }
        // Files have four digits behind the point.
        guard abs(measured - committed) > committed * tolerance + 0.000_05 else { return nil }
        return .changed(gate, committed: committed, measured: measured, tolerance: tolerance)
    }

    /// Of several runs, the one that is nearest to the committed ratio counts: a failure has to repeat itself.
    private static func ratio(_ measured: Measured, _ committed: CommittedNumbers.Ratio?) -> Finding? {
        guard let committed else { return measured.ratios.isEmpty ? nil : .notCommitted(.ratio) }
        guard let yardstick = measured.yardstick else { return .notMeasured(.ratio) }
        guard yardstick == committed.yardstick else {
            return .otherYardstick(committed: committed.yardstick, measured: yardstick)
        }
        let nearest = measured.ratios.min { abs($0 - committed.value) < abs($1 - committed.value) }
        guard let nearest else { return .notMeasured(.ratio) }
        if isWithin(nearest, committed) { return nil }
        if nearest < committed.value { return .faster(committed: committed.value, measured: nearest) }
        return .changed(.ratio, committed: committed.value, measured: nearest, tolerance: committed.tolerance)
    }

    /// Whether a ratio is as good as the committed one.
    package static func isWithin(_ ratio: Double, _ committed: CommittedNumbers.Ratio) -> Bool {
        abs(ratio / committed.value - 1) <= committed.tolerance
    }
}

extension Finding: CustomStringConvertible {
    /// One line: what differs, and by how much.
    package var description: String {
        switch self {
        case .notCommitted(let gate): "\(gate.rawValue): no committed number"
        case .notMeasured(let gate): "\(gate.rawValue): committed, but not measured"
        case .changed(let gate, let committed, let measured, let tolerance):
            "\(gate.rawValue): \(Figure.text(committed)) committed, \(Figure.text(measured)) measured"
                + (committed > 0 ? " (\(Self.percent(measured / committed - 1)), " : " (")
                + "\(Self.percent(tolerance)) allowed)"
        case .faster(let committed, let measured):
            "ratio: \(Figure.text(committed)) committed, \(Figure.text(measured)) measured: faster, commit it"
        case .otherYardstick(let committed, let measured):
            "ratio: committed beside \(committed), measured beside \(measured)"
        }
    }

    private static func percent(_ part: Double) -> String {
        let tenths = (part * 1000).rounded() / 10
        return "\(tenths) %"
    }
}
