/// The strongest scheme that each party has offered, so that an attacker on the path cannot replace it by a weaker one.
final class OfferMemory: Sendable {
    /// The most parties. Beyond it one is forgotten for each new one.
    static let maximumParties = 65_536

    // Keyed by a hash with a random seed of the process: an attacker cannot choose parties with equal hashes.
    private let strongest = ThreadLock<[Int: Int]>([:])

    /// Records an offer whose strongest scheme has `strength`, and returns the strongest before.
    func record(_ party: Int, strength: Int) -> Int? {
        strongest.withLock { strongest in
            let before = strongest[party]
            guard before ?? -1 < strength else { return before }
            if before == nil, strongest.count >= Self.maximumParties, let any = strongest.keys.first {
                strongest[any] = nil
            }
            strongest[party] = strength
            return before
        }
    }
}
