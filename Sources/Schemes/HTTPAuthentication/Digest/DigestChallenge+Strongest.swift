extension DigestChallenge {
    /// The strongest challenge that can be answered for a request with `body`.
    ///
    /// - Throws: the first defect of any of them, in any place, because the defective one may be the strongest; otherwise, if
    ///   none can be answered, the reason why the first one cannot.
    static func strongest(
        of challenges: [Challenge],
        rules: DigestRules,
        body: ExchangeBody
    ) throws(ExchangeFailure) -> DigestChallenge {
        var best: DigestChallenge?
        var passedOver: ExchangeFailure?
        for challenge in challenges {
            do throws(ExchangeFailure) {
                let candidate = try DigestChallenge(challenge)
                try candidate.check(isAnswerableUnder: rules, body: body)
                // A later challenge wins only when it is stronger: the server's order counts otherwise.
                if let current = best, !candidate.isStronger(than: current) { continue }
                best = candidate
            } catch {
                guard error.letsOtherChallengesCount else { throw error }
                passedOver = passedOver ?? error
            }
        }
        guard let best else { throw passedOver ?? .notOffered }
        return best
    }

    /// Checks what the caller accepts, and whether the body that the answer has to cover is there.
    func check(isAnswerableUnder rules: DigestRules, body: ExchangeBody) throws(ExchangeFailure) {
        guard quality != .missing || rules.allowsMissingQop else { throw .qopMissing }
        guard algorithm.strength >= rules.weakest else { throw .tooWeak(algorithm: algorithm.name) }
        if quality == .authInt, case .notAvailable = body { throw .bodyNotAvailable }
    }

    private func isStronger(than other: DigestChallenge) -> Bool {
        if algorithm.strength != other.algorithm.strength { return algorithm.strength > other.algorithm.strength }
        return quality != .missing && other.quality == .missing
    }
}

extension ExchangeFailure {
    /// Whether the challenge is well formed, and only this client or this request cannot answer it.
    fileprivate var letsOtherChallengesCount: Bool {
        switch self {
        case .unsupported, .tooWeak, .bodyNotAvailable: true
        default: false
        }
    }
}
