/// Whether an operation became slower: what several runs of the meter, each a process of its own, agree on.
///
/// One run is not to be trusted: a neighbour on the machine makes it slower, and where memory comes to lie makes it slower
/// for as long as the process lives. A change of ours does so in every run.
package enum RatioVote: Equatable, Sendable {
    /// As quick as committed.
    case passes
    /// So many of the runs say that it is slower.
    case fails(slower: Int, runs: Int)
    /// One more run has to be made.
    case isOpen

    /// So many runs at least must be slower than the tolerance allows, before that is a failure.
    package static let slowerRuns = 7
    /// So many that are not slower settle that nothing changed.
    package static let otherRuns = 3

    /// Counts the votes: all for it, or one of both numbers above is reached, which takes nine runs at most.
    package init(_ ratios: [Double], _ committed: CommittedNumbers.Ratio) {
        let slower = ratios.count { $0 > committed.value * (1 + committed.tolerance) }
        let others = ratios.count - slower
        if others >= Self.otherRuns || (slower == 0 && others > 0) {
            self = .passes
        } else if slower >= Self.slowerRuns {
            self = .fails(slower: slower, runs: ratios.count)
        } else {
            self = .isOpen
        }
    }
}
