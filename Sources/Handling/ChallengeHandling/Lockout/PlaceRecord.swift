/// What one place did with one password.
///
/// | stage | meaning | attempts |
/// |---|---|---|
/// | unproven | no result yet | one at a time |
/// | proven | the place accepted the password | any number while successes come in; after a quiet time one first |
/// | doubted | it accepted the password before, and refused it last | one at a time, not on withheld paths |
/// | refused | it refused the password | none |
struct PlaceRecord: Sendable {
    enum Stage: Sendable { case unproven, proven, doubted, refused }

    private(set) var stage = Stage.unproven
    private var refusedAt = MonotonicTime(nanoseconds: .min)
    /// Whether a path is withheld. Asked first, because it copies no record.
    var withholdsPaths: Bool { !withheld.isEmpty }
    /// Attempts that have not ended.
    private var running = 0
    private var withheld = WithheldPaths()
    /// Whose turn it is, for accounts without a domain. Its pause is that of the place for all.
    var gate = AttemptGate()

    /// Ends a refusal that is too old.
    mutating func update(_ now: MonotonicTime, lifetime: Int64) {
        if stage == .refused, refusedAt + lifetime <= now { stage = .unproven }
    }

    /// When the password may be sent to `path` again; `nil` if it may now.
    ///
    /// A path of a doubted password is withheld for the whole observation window, so that the next attempt is at another
    /// path and its result is news.
    func endOfWithholding(_ path: RequestPath, now: MonotonicTime, _ rules: LockoutRules.Nanoseconds) -> MonotonicTime?
    {
        let time = stage == .doubted ? rules.observationWindow : rules.withholding
        return withheld.end(for: path, now: now, after: time)
    }

    mutating func begin() {
        assert(stage != .refused)
        running += 1
    }

    /// Begins an attempt that was sent without being admitted.
    mutating func beginUnadmitted() { running += 1 }

    mutating func end() { running = max(0, running - 1) }

    /// Whether any path is withheld while the place accepts the password elsewhere.
    func withholdsPaths(_ now: MonotonicTime, _ rules: LockoutRules.Nanoseconds) -> Bool {
        withheld.holdsAny(now: now, after: rules.withholding)
    }

    /// The directories in which the place accepted the password.
    var acceptedDirectories: DirectoryFilter { withheld.accepted }

    /// Takes over from a pass, which was one of the attempts, those that have not ended.
    mutating func passEnded(running attempts: Int) { running += attempts - 1 }

    /// Records directories in which the place accepted the password.
    mutating func accepted(in directories: DirectoryFilter) { withheld.accepted.formUnion(directories) }

    /// Records a success.
    ///
    /// - Parameter isNewest: whether the attempt began after the last refusal was known.
    mutating func accepted(at path: RequestPath, isNewest: Bool) {
        withheld.accepted(at: path)
        guard isNewest else { return }
        stage = .proven
        gate.pause = RetryPause()
    }

    /// Records a refusal. Returns whether it is news: it is not if an equal refusal was not known when the attempt began.
    ///
    /// - Parameters:
    ///   - isTrusted: whether the directory of the account has accepted the password, at this place or another.
    ///   - isSecond: whether a refusal in the observation window came before, with no success in between.
    mutating func refused(
        at path: RequestPath,
        isTrusted: Bool,
        isSecond: Bool,
        isNewest: Bool,
        now: MonotonicTime,
        _ rules: LockoutRules.Nanoseconds
    ) -> Bool {
        switch stage {
        case .unproven where isTrusted, .proven:
            stage = .doubted
            withheld.withhold(path, now: now)
        case .doubted:
            // The attempt began while the password was proven, so it tells no more than the first refusal did: both pages may be
            // forbidden. The path is withheld, and the next attempt decides.
            if !isNewest {
                if endOfWithholding(path, now: now, rules) == nil { withheld.withhold(path, now: now) }
                return false
            }
            if isSecond { stage = .refused } else { withheld.withhold(path, now: now) }
        case .unproven, .refused: stage = .refused
        }
        refusedAt = now
        return true
    }

    /// Forgets the refusal and withheld paths, and keeps what the gate knows.
    mutating func readmit() {
        stage = .unproven
        withheld.clear()
    }

    /// Forgets refusals, doubts and withheld paths.
    mutating func forgive() {
        if stage == .refused || stage == .doubted { stage = .unproven }
        withheld.clear()
        gate.forgive()
    }

    /// What a bounded table should know: a refusal is worth more than a success, and an attempt in progress must stay.
    var worth: PlaceTable<PlaceRecord>.Worth {
        if running > 0 || !gate.queue.isEmpty || !gate.paused.isEmpty { return .all }
        return stage == .refused || stage == .doubted ? .some : .none
    }
}
