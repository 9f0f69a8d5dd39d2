/// How far a ratio may be from the committed one: what it strays by itself decides, between two limits.
///
/// Whatever disturbs a run makes it slower far more often than quicker, so the quiet half of the runs is what an operation
/// costs, and what lies above it is what the machine was doing meanwhile.
package enum Tolerance: Equatable, Sendable {
    /// For what the processor does by itself: a loop that takes 10 % longer is seen.
    case code
    /// For what waits for memory, in units of one wait. What a core has of caches and of pages at hand is shared with its
    /// neighbours on the machine, and changes from one minute to the next: the same code was a tenth slower for two of them.
    /// One more wait for each operation is seen; what code costs there is for the exact gates to see.
    case memory

    /// The name of the yardstick that waits for memory, once a unit.
    package static let memoryYardstick = "lines"

    /// The limits for an operation beside this yardstick.
    package static func beside(_ yardstick: String) -> Tolerance { yardstick == memoryYardstick ? .memory : .code }

    /// A shared machine cannot keep a smaller tolerance.
    package func least(for value: Double) -> Double {
        switch self {
        case .code: 0.04
        // Nine tenths of a wait, so that a whole one is more.
        case .memory: min(0.25, 0.9 / value)
        }
    }

    /// An operation whose ratio varies by more than this is too variable for the ratio gate.
    package func most(for value: Double) -> Double {
        switch self {
        case .code: 0.07
        case .memory: min(0.4, 0.95 / value)
        }
    }

    /// How many times the deviation that was seen is allowed.
    private static let allowance = 2.0

    /// The lower quartile of several runs, and what their quieter half says about the next one.
    ///
    /// - Precondition: there is at least one.
    package func learned(from ratios: [Double]) -> (value: Double, tolerance: Double) {
        let sorted = ratios.sorted()
        let value = sorted[sorted.count / 4]
        // Of sixteen runs the quickest two may be luck: a failure needs more than that to be put off.
        let deviation = max(value - sorted[sorted.count / 8], sorted[sorted.count / 2] - value) / value
        return (value, max(Self.allowance * deviation, least(for: value)))
    }
}
