internal import HTTPAuthentication

extension ChallengeExchange {
    /// Whether the party accepted a scheme that authenticates connections.
    var hasAuthenticatedConnection: Bool {
        if case .accepted(let accepted) = state { return accepted.scheme.isConnectionBound }
        return false
    }

    /// The space in which the party has just accepted a password; `nil` for schemes that authenticate connections, and
    /// the second time.
    mutating func takeSpace() -> KnownSpace? {
        // The next challenge is the first one of a new exchange.
        guard let accepted = state.takeAccepted() else { return nil }
        if let session = accepted.exchange.takeDigestSession() { return KnownSpace(digest: session) }
        guard !accepted.scheme.isConnectionBound, let value = accepted.lastValue else { return nil }
        return KnownSpace(repeating: value, of: accepted.scheme.name, at: request.requestPath, party: request.party)
    }
}
