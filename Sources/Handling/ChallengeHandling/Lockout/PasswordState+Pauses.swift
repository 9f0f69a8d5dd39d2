// Results that do not tell whether the password is right.
extension PasswordState {
    /// When the pause after an unknown result ends; `nil` without a pause.
    func endOfPause(_ index: Int, _ isProven: Bool, _ now: MonotonicTime) -> MonotonicTime? {
        let end = max(places[index].gate.pause.end, endOfUnanswered(now) ?? now)
        return !isProven && end > now ? end : nil
    }

    /// When an attempt may begin that a directory could count as a bad log-on; `nil` if it may now.
    private func endOfUnanswered(_ now: MonotonicTime) -> MonotonicTime? {
        let overdue = gate.overdue(now, attemptLimit: rules.attemptLimit) == nil ? 0 : 1
        guard isShared, unanswered.count + overdue > 0,
            gate.refusalsInARow + unanswered.count + overdue >= rules.maximumRefusals
        else { return nil }
        let forgotten = unanswered.endOfFirst(rules.observationWindow)
        guard gate.refusalsInARow > 0 else { return forgotten ?? now + rules.attemptLimit }
        let refusal = gate.lastRefusal + rules.observationWindow
        return min(forgotten ?? refusal, refusal)
    }

    /// Records a response that does not tell, or silence. A proven password needs no pause.
    mutating func remainedUnknown(_ index: Int, _ result: AttemptResult, _ now: MonotonicTime) {
        let stage = places[index].stage
        if stage == .unproven || stage == .doubted {
            switch result {
            case .unanswered where isShared: break
            case .unanswered: places[index].gate.pause.afterSilence(now: now)
            default: places[index].gate.pause.afterResponse(isRedirect: result == .redirected, now: now)
            }
        }
        // After a pause begins, all must learn the new deadline.
        if endOfPause(index, false, now) != nil { callAll(index) } else { callNext(index, now) }
    }
}
