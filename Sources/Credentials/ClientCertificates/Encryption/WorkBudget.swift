/// The iterations that a file may still ask for, so that a changed file cannot keep a processor busy; and what it asked for.
struct WorkBudget {
    private var left: Int
    /// The encryptions that the file names, each once.
    private(set) var encryptions: [IdentityForm.Encryption] = []

    init(iterations: Int = IdentityLimits.iterations) { left = iterations }

    mutating func note(_ encryption: IdentityForm.Encryption) {
        if !encryptions.contains(encryption) { encryptions.append(encryption) }
    }

    /// Spends the cost of `rounds` derivations with `iterations` each; `nil` is a number that does not fit 31 bits.
    mutating func spend(_ iterations: Int?, rounds: Int = 1) throws(IdentityError.Problem) -> Int {
        // No overflow: both fit 31 bits.
        guard let iterations, iterations > 0, iterations * rounds <= left else { throw .tooCostly }
        left -= iterations * rounds
        return iterations
    }
}
