/// How far a ratio may be from the committed one: what it strays by itself decides.
///
/// Whatever disturbs a run makes it slower far more often than quicker, so the quiet half of the runs is what an operation
/// costs, and what lies above it is what the machine was doing meanwhile.
package enum Tolerance {
    /// Less is no promise that a shared machine can keep.
    package static let least = 0.04
    /// More would let a loop pass that takes 10 % longer: such an operation is watched, not gated by its ratio.
    package static let most = 0.07
    /// How many times the deviation that was seen is allowed.
    private static let allowance = 2.0

    /// The lower quartile of several runs, and what their quieter half says about the next one.
    ///
    /// - Precondition: there is at least one.
    package static func learned(from ratios: [Double]) -> (value: Double, tolerance: Double) {
        let sorted = ratios.sorted()
        let value = sorted[sorted.count / 4]
        // Of sixteen runs the quickest two may be luck: a failure needs more than that to be put off.
        let deviation = max(value - sorted[sorted.count / 8], sorted[sorted.count / 2] - value) / value
        return (value, max(allowance * deviation, least))
    }
}
