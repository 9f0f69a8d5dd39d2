/// The spaces in which passwords were accepted, for answers in advance. It belongs to one handler, because a new profile may
/// have other rules.
final class AnswerCache: Sendable {
    private struct Key: Hashable {
        let party: PartyHash
        /// The account with its password: ``PreparedAccount/number``.
        let account: UInt64
    }

    /// The most spaces. Beyond it one is forgotten for each new one.
    static let maximumSpaces = 4096

    private let spaces = ThreadLock<[Key: KnownSpace]>([:])

    /// The space of the party of `request` for the account with the number `account`.
    func space(of request: ChallengedRequest, account: UInt64) -> KnownSpace? {
        spaces.withLock { $0[Key(party: request.partyHash, account: account)] }
    }

    /// Remembers a space in place of an earlier one.
    func remember(_ space: KnownSpace, of request: ChallengedRequest, account: UInt64) {
        spaces.withLock { spaces in
            let key = Key(party: request.partyHash, account: account)
            if spaces[key] == nil, spaces.count >= Self.maximumSpaces, let any = spaces.keys.first { spaces[any] = nil }
            spaces[key] = space
        }
    }

    /// Forgets a space whose answers are no longer accepted.
    func forget(_ request: ChallengedRequest, account: UInt64) {
        spaces.withLock { $0[Key(party: request.partyHash, account: account)] = nil }
    }
}
