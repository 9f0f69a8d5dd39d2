internal import Hostnames

/// A party that has accepted an answer, with the account that answers all its paths.
final class KnownParty: Sendable {
    /// Compared, because parties are found by a hash.
    let origin: Origin
    let prepared: PreparedAccount
    let space: KnownSpace
    /// The space, if it repeats a token, whose result no budget counts.
    let token: KnownSpace?
    /// How often the handler had replaced a password when the account was found.
    let replacements: Int
    /// Under which attempts at this party begin, until it is closed.
    private let pass = ThreadLock<StandingPass?>(nil)

    init(_ origin: Origin, _ prepared: PreparedAccount, _ space: KnownSpace, replacements: Int) {
        self.origin = origin
        self.prepared = prepared
        self.space = space
        token = !prepared.isCounted && space.repeatsAnswer ? space : nil
        self.replacements = replacements
    }

    /// Asks to send the password with a request of this path, if the party has just accepted it; `nil` if the request must ask first.
    func attemptWhileProven(_ place: Place, path: RequestPath) -> PasswordBudget.Attempt? {
        if let attempt = attemptUnderPass(path: path) { return attempt }
        guard let attempt = prepared.attemptWhileProven(place, path: path) else { return nil }
        if let new = attempt.pass { pass.withLock { $0 = new } }
        return attempt
    }

    /// The same, without asking the lock-out budget; `nil` if it must be asked.
    private func attemptUnderPass(path: RequestPath) -> PasswordBudget.Attempt? {
        guard let pass = pass.withLock({ $0 }) else { return nil }
        return prepared.attempt(under: pass, path: path)
    }
}

/// The parties that a handler finds without its rules.
final class KnownParties: Sendable {
    private let parties = ThreadLock<[Int: KnownParty]>([:])

    /// The party of `request` with its account, if that was found after the last of so many replacements.
    func party(of request: ChallengedRequest, replacements: Int) -> KnownParty? {
        let known = parties.withLock { $0[request.partyHash] }
        guard let known, known.replacements == replacements, request.isTo(known.origin) else { return nil }
        return known
    }

    /// Remembers a party in place of what was known of it.
    func remember(_ party: KnownParty, of request: ChallengedRequest) {
        parties.withLock { parties in
            if parties.count >= AnswerCache.maximumSpaces, let any = parties.keys.first { parties[any] = nil }
            parties[request.partyHash] = party
        }
    }

    /// Forgets a party whose answers are no longer accepted.
    func forget(_ request: ChallengedRequest) { parties.withLock { $0[request.partyHash] = nil } }
}
