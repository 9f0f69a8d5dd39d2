/// How strong the strongest schemes of an offer are; -1 if there is none.
struct OfferStrength: Equatable {
    /// Of all schemes.
    let any: Int
    /// Of the schemes that authenticate one request. They answer where a connection cannot be authenticated.
    let single: Int
}

/// The strongest schemes that each party has offered, so that an attacker on the path cannot replace them by weaker ones.
final class OfferMemory: Sendable {
    /// The most parties. Beyond it one is forgotten for each new one.
    static let maximumParties = 65_536

    // Keyed by a hash with a random seed of the process: an attacker cannot choose parties with equal hashes.
    private let strongest = ThreadLock<[Int: OfferStrength]>([:])

    /// The strongest connection-bound schemes that parties have accepted.
    private let acceptances = ThreadLock<[Int: Int]>([:])

    /// Records that the party accepted a scheme of this strength.
    func recordAccepted(_ strength: Int, by party: Int) {
        acceptances.withLock { acceptances in
            if let before = acceptances[party] {
                if before < strength { acceptances[party] = strength }
                return
            }
            if acceptances.count >= Self.maximumParties, let any = acceptances.keys.first { acceptances[any] = nil }
            acceptances[party] = strength
        }
    }

    /// The strength of the strongest scheme that the party has accepted; `nil` if it has accepted none.
    func accepted(by party: Int) -> Int? { acceptances.withLock { $0[party] } }

    /// Records an offer, and returns the strongest before.
    func record(_ party: Int, _ offered: OfferStrength) -> OfferStrength? {
        strongest.withLock { strongest in
            guard let before = strongest[party] else {
                if strongest.count >= Self.maximumParties, let any = strongest.keys.first { strongest[any] = nil }
                strongest[party] = offered
                return nil
            }
            if before.any < offered.any || before.single < offered.single {
                strongest[party] = OfferStrength(
                    any: max(before.any, offered.any),
                    single: max(before.single, offered.single)
                )
            }
            return before
        }
    }
}
