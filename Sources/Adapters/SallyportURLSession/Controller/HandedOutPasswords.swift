internal import Sallyport
internal import Synchronization

/// Which passwords the system got for which servers, to tell whose password a failed challenge is about.
final class HandedOutPasswords: Sendable {
    private struct Use: Hashable {
        let origin: Origin
        let party: ChallengedParty
        let password: UInt64

        init(_ request: ChallengedRequest, _ account: PreparedAccount) {
            origin = request.origin
            party = request.party
            password = account.passwordNumber
        }
    }

    /// How often the system got a password, and when last.
    private struct Count {
        var times = 0
        var last: UInt64 = 0
    }

    /// At the bound the oldest use is forgotten.
    static let maximumUses = 4096

    private struct State {
        var counts: [Use: Count] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Records that the system gets the password of `account` for `request`.
    func add(_ request: ChallengedRequest, _ account: PreparedAccount) {
        let use = Use(request, account)
        state.withLock { state in
            if state.counts[use] == nil, state.counts.count >= Self.maximumUses,
                let oldest = state.counts.min(by: { $0.value.last < $1.value.last })
            {
                state.counts[oldest.key] = nil
            }
            state.last += 1
            state.counts[use, default: Count()].times += 1
            state.counts[use]?.last = state.last
        }
    }

    /// Whether the system got the password of `account` for the party of `request`. Each time that it got it counts once.
    func removeUse(_ request: ChallengedRequest, _ account: PreparedAccount) -> Bool {
        let use = Use(request, account)
        return state.withLock { state in
            guard let count = state.counts[use] else { return false }
            if count.times == 1 { state.counts[use] = nil } else { state.counts[use]?.times -= 1 }
            return true
        }
    }
}
