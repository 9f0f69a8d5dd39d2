internal import HTTPAuthentication

extension ChallengeExchange {
    /// Whether the party accepted a scheme that authenticates connections.
    var hasAuthenticatedConnection: Bool {
        if case .accepted(let accepted) = state { return accepted.scheme.isConnectionBound }
        return false
    }

    /// An answer in advance was not judged, so the answer to the next challenge is of the same attempt.
    mutating func wasUnjudged(_ attempt: PasswordBudget.Companion) { state = .waiting(AttemptTurn(after: attempt)) }

    /// Whether the request waits for another one's attempt, and has made none that nothing has judged.
    var isOnlyWaiting: Bool {
        if case .waiting(let turn) = state { return turn.unjudged == nil }
        return false
    }

    /// Gives up the place in the queue.
    mutating func stopWaiting() { state = .fresh }

    /// The space in which the party has just accepted a password, and the number of that password; `nil` for schemes that
    /// authenticate connections, and the second time.
    mutating func takeSpace() -> (space: KnownSpace, account: UInt64)? {
        // The next challenge is the first one of a new exchange.
        guard let accepted = state.takeAccepted() else { return nil }
        if let session = accepted.exchange.takeDigestSession() {
            return (KnownSpace(digest: session), accepted.prepared.number)
        }
        guard !accepted.scheme.isConnectionBound, let value = accepted.lastValue else { return nil }
        let space = KnownSpace(
            repeating: value,
            of: accepted.scheme.name,
            at: request.requestPath,
            party: request.party,
            bound: accepted.prepared.keys.bound
        )
        return (space, accepted.prepared.number)
    }
}
