internal import SPKIPins

extension ChallengeHandler {
    /// Checks a server's certificate chain after the TLS handshake and before the first byte of a request.
    ///
    /// - Parameters:
    ///   - trust: the host and its validated chain.
    ///   - now: Unix time in seconds, to find expired pins.
    public func evaluate(_ trust: ServerTrust, now: Int64) -> TrustDecision {
        let decision = judge(trust, now: now)
        if let observer { observer.emit(.judged(ServerJudgement(host: trust.host, decision: decision))) }
        return decision
    }

    /// The same without an event.
    package func judge(_ trust: ServerTrust, now: Int64) -> TrustDecision {
        guard let chain = trust.chain else { return .rejected(.chainNotValidated) }
        guard let pins = compiled.pins else { return .validatedOnly(nil) }
        let verdict = pins.verdict(for: trust.host, chain: chain, now: now, memo: compiled.memo)
        switch verdict {
        case .matched: return .trusted(verdict)
        case .notPinned, .reportOnlyMismatch: return .validatedOnly(verdict)
        case .mismatched: return .rejected(.pinMismatch(verdict))
        case .forbiddenKey(let key):
            return key.mode == .enforce ? .rejected(.forbiddenKey(verdict)) : .validatedOnly(verdict)
        case .expiredPolicy(let expiry):
            // Expired pins do not count as no pins, because an attacker could set the clock forward.
            return expiry.mode == .enforce ? .rejected(.pinsExpired(verdict)) : .validatedOnly(verdict)
        }
    }
}
