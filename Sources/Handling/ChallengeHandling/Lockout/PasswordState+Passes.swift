// What the owner of the state needs for the attempts that do not ask it.
extension PasswordState {
    /// The most places of one password that have a pass. Beyond it the oldest is closed.
    static let maximumPasses = 16

    /// The time of the last success, where attempts at `place` may begin and succeed without this state, because a success would change nothing
    /// in it but that time; `nil` where they may not.
    mutating func successForPass(at place: Place, now: MonotonicTime) -> MonotonicTime? {
        guard pausedUntil == nil, !isOneAtATime, !isShared || hasSucceeded, unanswered.isEmpty,
            let index = places.index(of: place), places[index].stage == .proven,
            !places[index].withholdsPaths(now, rules)
        else { return nil }
        return withGate(index) { $0.isOpen(now) && !$0.hasWaiting ? $0.lastSuccess : nil }
    }

    /// A pass for `place`, which counts as one of its attempts until it is closed, so that the place is not forgotten.
    mutating func makePass(for place: Place, lastSuccess: MonotonicTime) -> StandingPass? {
        guard let index = places.index(of: place) else { return nil }
        places[index].begin()
        let accepted = places[index].acceptedDirectories
        return StandingPass(place, number: takeNumber(), lastSuccess: lastSuccess, accepted: accepted)
    }

    /// Takes over from an open pass what attempts at `place` depend on: with a domain the last success at any place, and the directories of
    /// this one.
    mutating func follow(_ pass: StandingPass, at place: Place) {
        guard pass.place == place else { return gate.succeeded(at: pass.success) }
        guard let index = places.index(of: place) else { return }
        withGate(index) { $0.succeeded(at: pass.success) }
        places[index].accepted(in: pass.accepted)
    }

    /// Closes a pass. Its attempts go on as if it had not been.
    mutating func close(_ pass: StandingPass) {
        let running = pass.close()
        guard let index = places.index(of: pass.place) else { return }
        places[index].passEnded(running: running)
        withGate(index) { $0.succeeded(at: pass.success) }
        places[index].accepted(in: pass.accepted)
    }
}
