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
    /// Under which attempts at this party begin; `nil` before the first one.
    private let pass: StandingPass?

    convenience init(_ origin: Origin, _ prepared: PreparedAccount, _ space: KnownSpace, replacements: Int) {
        self.init(origin, prepared, space, replacements: replacements, under: nil)
    }

    private init(
        _ origin: Origin,
        _ prepared: PreparedAccount,
        _ space: KnownSpace,
        replacements: Int,
        under pass: StandingPass?
    ) {
        self.origin = origin
        self.prepared = prepared
        self.space = space
        token = !prepared.isCounted && space.repeatsAnswer ? space : nil
        self.replacements = replacements
        self.pass = pass
    }

    /// The same party with another pass.
    func under(_ pass: StandingPass) -> KnownParty {
        KnownParty(origin, prepared, space, replacements: replacements, under: pass)
    }

    /// Begins an attempt without asking the lock-out budget; `nil` if it must be asked.
    func attemptUnderPass(path: RequestPath) -> PasswordBudget.Attempt? {
        pass.flatMap { prepared.attempt(under: $0, path: path) }
    }
}

/// The parties that a handler finds without its rules.
final class KnownParties: Sendable {
    private let parties = ThreadLock<[PartyHash: KnownParty]>([:])

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

    /// Puts `new` in the place of `known`. Does nothing if something else is known by now: the party may have accepted another answer, or none.
    func replace(_ known: KnownParty, with new: KnownParty, of request: ChallengedRequest) {
        parties.withLock { parties in
            if parties[request.partyHash] === known { parties[request.partyHash] = new }
        }
    }

    /// Forgets a party whose answers are no longer accepted.
    func forget(_ request: ChallengedRequest) { parties.withLock { $0[request.partyHash] = nil } }
}

extension ChallengeHandler {
    /// Asks to send the password, if the party has just accepted it; `nil` if the request must ask first.
    ///
    /// - Parameters:
    ///   - party: any request to the party.
    ///   - path: the ``ChallengedRequest/withheldPath`` of the request.
    func attemptWhileProven(
        _ known: KnownParty,
        at party: ChallengedRequest,
        path: RequestPath
    ) -> PasswordBudget.Attempt? {
        if let attempt = known.attemptUnderPass(path: path) { return attempt }
        guard let attempt = known.prepared.attemptWhileProven(party.place, path: path) else { return nil }
        if let pass = attempt.pass { parties.replace(known, with: known.under(pass), of: party) }
        return attempt
    }
}
