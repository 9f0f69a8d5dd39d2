extension PasswordState {
    /// What a change of the state may be told by.
    struct Standing: Equatable {
        let stage: LockoutChange.Stage
        let pausedUntil: MonotonicTime?

        static let unknown = Standing(stage: .unproven, pausedUntil: nil)
    }

    /// What the place has done with the password, and whether it is sent nowhere.
    func standing(of place: Place) -> Standing {
        let stage: LockoutChange.Stage =
            switch places.index(of: place).map({ places[$0].stage }) {
            case .unproven, nil: .unproven
            case .proven: .proven
            case .doubted: .doubted
            case .refused: .refused
            }
        return Standing(stage: stage, pausedUntil: pausedUntil)
    }

    /// Whether the place has not accepted the password within ``AttemptGate/proofLease``, so that it may have changed.
    func isInDoubt(_ place: Place, now: MonotonicTime) -> Bool {
        guard let index = places.index(of: place), places[index].stage == .proven else { return true }
        return !(isShared ? gate : places[index].gate).isOpen(now)
    }

    /// Whether the place has accepted the password, and has not refused it since.
    func isProven(_ place: Place) -> Bool { places.index(of: place).map { places[$0].stage == .proven } ?? false }

    /// Whether an attempt would be refused because the place or several places refused the password.
    func isSpent(_ place: Place, path: RequestPath, now: MonotonicTime) -> Bool {
        if let pausedUntil, pausedUntil > now { return true }
        guard let index = places.index(of: place) else { return false }
        var record = places[index]
        record.update(now, lifetime: rules.refusalLifetime)
        return record.stage == .refused || record.endOfWithholding(path, now: now, rules) != nil
    }

    /// Whether a refusal of any place is known.
    var hasRefusals: Bool {
        pausedUntil != nil || places.indices.contains { places[$0].stage == .refused || places[$0].stage == .doubted }
    }
}
