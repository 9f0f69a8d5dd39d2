/// The iterations that a file may still ask for, so that a changed file cannot keep a processor busy.
struct WorkBudget {
    private var left: Int

    init(iterations: Int = IdentityLimits.iterations) { left = iterations }

    /// Takes the cost of `rounds` derivations with `iterations` each; `nil` is a number that does not fit 31 bits.
    mutating func take(_ iterations: Int?, rounds: Int = 1) throws(IdentityError.Problem) -> Int {
        // No overflow: both fit 31 bits.
        guard let iterations, iterations > 0, iterations * rounds <= left else { throw .tooCostly }
        left -= iterations * rounds
        return iterations
    }
}
