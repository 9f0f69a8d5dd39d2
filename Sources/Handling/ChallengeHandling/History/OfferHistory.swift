/// The strongest schemes that each party has offered and accepted, so that an attacker on the path cannot replace them by weaker ones.
final class OfferHistory: Sendable {
    /// The most parties. Beyond it one is forgotten for each new one.
    static let maximumParties = 65_536

    /// The strongest schemes of one party.
    private struct Strongest {
        var offered = OfferStrength()
        /// Of the connection-bound schemes that it has accepted; 0 if it has accepted none.
        var accepted = 0
    }

    private let parties = ThreadLock<[PartyHash: Strongest]>([:])

    /// Records that the party accepted a connection-bound scheme of this strength.
    func recordAccepted(_ strength: Int, by party: PartyHash) {
        parties.withLock { parties in
            var known = parties[party] ?? Strongest()
            guard known.accepted < strength else { return }
            known.accepted = strength
            Self.keep(known, of: party, in: &parties)
        }
    }

    /// The strength of the strongest scheme that the party has accepted; 0 if it has accepted none.
    func accepted(by party: PartyHash) -> Int { parties.withLock { $0[party]?.accepted ?? 0 } }

    /// Records an offer, and returns the strongest before.
    func record(_ party: PartyHash, _ offered: OfferStrength) -> OfferStrength {
        parties.withLock { parties in
            var known = parties[party] ?? Strongest()
            let before = known.offered
            if before.any < offered.any || before.single < offered.single {
                known.offered.any = max(before.any, offered.any)
                known.offered.single = max(before.single, offered.single)
                Self.keep(known, of: party, in: &parties)
            }
            return before
        }
    }

    private static func keep(_ known: Strongest, of party: PartyHash, in parties: inout [PartyHash: Strongest]) {
        if parties.count >= maximumParties, parties[party] == nil, let any = parties.keys.first { parties[any] = nil }
        parties[party] = known
    }
}
