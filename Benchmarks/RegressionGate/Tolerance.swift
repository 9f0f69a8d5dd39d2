/// How far a ratio may be from the committed one: what it strays by itself decides, between two limits.
///
/// Whatever disturbs a run makes it slower far more often than quicker, so the quiet half of the runs is what an operation
/// costs, and what lies above it is what the machine was doing meanwhile.
package struct Tolerance: Equatable, Sendable {
    /// Less is no promise that a shared machine can keep.
    package let least: Double
    /// What strays further is watched, not gated by its ratio.
    package let most: Double

    /// For what the processor does by itself: a loop that takes 10 % longer is seen.
    package static let code = Tolerance(least: 0.04, most: 0.07)
    /// For what waits for memory. The last cache belongs to the neighbours too, and how much of it they leave changes from
    /// one minute to the next: the same code was 9 % slower for two of them. One more wait for each operation is seen; what
    /// code costs there is the other gates' to see, and that of the same operation among fewer rules.
    package static let memory = Tolerance(least: 0.25, most: 0.4)

    /// The name of the yardstick that waits for memory.
    package static let memoryYardstick = "lines"

    /// The limits for an operation beside this yardstick.
    package static func beside(_ yardstick: String) -> Tolerance { yardstick == memoryYardstick ? memory : code }

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
        return (value, max(Self.allowance * deviation, least))
    }
}
