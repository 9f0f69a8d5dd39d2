/// Where a ``ChallengeExchange`` stands.
@usableFromInline
enum ExchangeState: Sendable {
    /// No challenge was answered.
    case fresh
    /// The request waits for another one's attempt, or has made one that nothing has judged.
    case waiting(AttemptTurn)
    /// An answer was sent.
    case running(RunningExchange)
    /// The party accepted the answer.
    case accepted(RunningExchange)

    /// Whether the next challenge is the first one, so that the site was not checked yet.
    @inlinable var isFresh: Bool {
        if case .fresh = self { return true }
        return false
    }

    /// The exchange that has sent an answer.
    var running: RunningExchange? {
        if case .running(let running) = self { return running }
        return nil
    }

    /// Takes the turn of a request that waited.
    mutating func takeTurn() -> AttemptTurn? {
        guard case .waiting(let turn) = self else { return nil }
        self = .fresh
        return turn
    }

    /// Takes the exchange whose answer was accepted.
    mutating func takeAccepted() -> RunningExchange? {
        guard case .accepted(let accepted) = self else { return nil }
        self = .fresh
        return accepted
    }
}
