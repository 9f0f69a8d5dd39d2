internal import Synchronization

/// The rules for sending one password of one account, shared by all requests and by all handlers of a profile.
final class PasswordBudget: Sendable {
    private struct Guarded {
        var state: PasswordState
        /// The turns of ``PasswordState``'s waiting requests. Weak, so that a dropped turn leaves the queue.
        var turns: [UInt64: WeakTurn] = [:]
        /// The passes that stand, at most one for each place.
        var passes: [StandingPass] = []

        /// Takes over from the passes what attempts at `place` depend on. One whose last success is too old is closed, so that its place may be
        /// forgotten.
        mutating func follow(_ place: Place, _ now: MonotonicTime) {
            passes.removeAll { pass in
                if pass.isFresh(now) {
                    if state.isShared || pass.place == place { state.follow(pass, at: place) }
                    return false
                }
                state.close(pass)
                return true
            }
        }

        /// The pass for `place`; `nil` if each attempt must ask.
        mutating func pass(for place: Place, _ now: MonotonicTime) -> StandingPass? {
            if let known = passes.first(where: { $0.place == place }) { return known }
            guard let lastSuccess = state.successForPass(at: place, now: now) else { return nil }
            guard let new = state.makePass(for: place, lastSuccess: lastSuccess) else { return nil }
            if passes.count >= PasswordState.maximumPasses,
                let oldest = passes.indices.min(by: { passes[$0].success < passes[$1].success })
            {
                state.close(passes.remove(at: oldest))
            }
            passes.append(new)
            return new
        }

        mutating func closePasses() {
            for pass in passes { state.close(pass) }
            passes = []
        }
    }

    private struct WeakTurn {
        weak var turn: AttemptTurn?
    }

    private static let lastNumber = Atomic<UInt64>(0)

    private let currentNumber = Atomic(PasswordBudget.newNumber())
    private let guarded: ThreadLock<Guarded>
    private let clock: ManualClock?
    private let total: PlaceCount
    private let reporter: Reporter?

    /// Where changes are reported, and the name of the account that they are about.
    struct Reporter: Sendable {
        let account: String
        let report: LockoutReport
    }

    init(
        isShared: Bool,
        rules: LockoutRules,
        clock: ManualClock? = nil,
        total: PlaceCount = PlaceCount(),
        reporter: Reporter? = nil
    ) {
        self.reporter = reporter
        let state = PasswordState(isShared: isShared, rules: LockoutRules.Nanoseconds(rules), total: total)
        guarded = ThreadLock(Guarded(state: state))
        self.clock = clock
        self.total = total
    }

    deinit {
        total.subtract(guarded.withLock { $0.state.placeCount })
    }

    /// The time that the rules use.
    var now: MonotonicTime { clock?.now ?? .now }

    /// The answer to a request for an attempt.
    enum Answer: ~Copyable {
        case go(Attempt)
        case wait(AttemptTurn)
        case refused
        case withheld(until: MonotonicTime, isDoubted: Bool)
        case accountPaused(until: MonotonicTime)
        case resultUnknown(until: MonotonicTime)
    }

    /// Asks to send the password to `path` at `place`.
    ///
    /// - Parameters:
    ///   - turn: from an earlier answer to the same request.
    ///   - companion: an attempt that the same request makes at another place.
    func attempt(
        _ place: Place,
        path: RequestPath,
        after turn: AttemptTurn? = nil,
        besides companion: Companion? = nil
    ) -> Answer {
        let now = now
        let waiting = turn?.use(at: self)
        let unjudged = turn?.unjudged.flatMap { $0.budget === self ? $0 : nil }
        let beside = companion.flatMap { $0.budget === self ? $0.number : nil }
        let (admission, called, new) = withState(of: place, now) { guarded in
            if let waiting { guarded.turns[waiting] = nil }
            let admission = guarded.state.admit(
                place,
                path: path,
                waiting: waiting,
                besides: beside,
                after: unjudged?.number,
                now: now
            )
            var new: AttemptTurn?
            if case .wait(let number, let deadline) = admission {
                let turn = AttemptTurn(number, self, place, deadline: deadline, after: unjudged)
                guarded.turns[number] = WeakTurn(turn: turn)
                new = turn
            }
            return (admission, Self.takeCalled(&guarded), new)
        }
        for turn in called { turn.call() }
        if let new { return .wait(new) }
        return switch admission {
        case .go(let number): .go(Attempt(self, number, place, path: path))
        case .wait: preconditionFailure("a request that waits has a turn")
        case .refused: .refused
        case .withheld(let end, let isDoubted): .withheld(until: end, isDoubted: isDoubted)
        case .accountPaused(let end): .accountPaused(until: end)
        case .resultUnknown(let end): .resultUnknown(until: end)
        }
    }

    /// Asks to send the password to `path` at `place` if the place has just accepted it; `nil` if the request must ask the place first.
    func attemptWhileProven(_ place: Place, path: RequestPath) -> Attempt? {
        let now = now
        return withState(of: place, now) { guarded in
            if let pass = guarded.pass(for: place, now), pass.begin(now) {
                return Attempt(self, under: pass, path: path)
            }
            let number = guarded.state.admitWhileProven(place, path: path, now: now)
            return number.map { Attempt(self, $0, place, path: path) }
        }
    }

    /// Begins an attempt under a pass of this budget, from ``Attempt/pass``; `nil` if the pass does not stand.
    func attempt(under pass: StandingPass, path: RequestPath) -> Attempt? {
        guard pass.begin(now) else { return nil }
        return Attempt(self, under: pass, path: path)
    }

    /// Uses the state under the lock. What attempts under passes have noted is taken over before; afterwards the passes are closed, if the state
    /// was disturbed. A question about stages and refusals needs neither, because no success under a pass changes them.
    ///
    /// - Parameter place: where an attempt begins or ends, or what is asked about; `nil` for a change of the whole password.
    @inline(__always) private func withState<Result: ~Copyable>(
        of place: Place?,
        _ now: MonotonicTime,
        _ body: (inout Guarded) -> Result
    ) -> Result {
        guarded.withLock { guarded in
            if let place, !guarded.passes.isEmpty { guarded.follow(place, now) }
            let before = guarded.state.disturbances
            let result = body(&guarded)
            if guarded.state.disturbances != before { guarded.closePasses() }
            return result
        }
    }

    /// Whether an attempt would be refused.
    func isSpent(_ place: Place, path: RequestPath) -> Bool {
        let now = now
        return guarded.withLock { $0.state.isSpent(place, path: path, now: now) }
    }

    /// Whether the place has not just accepted the password.
    func isInDoubt(_ place: Place) -> Bool {
        let now = now
        return withState(of: place, now) { $0.state.isInDoubt(place, now: now) }
    }

    /// Whether the place has accepted the password, and has not refused it since.
    func isProven(_ place: Place) -> Bool { guarded.withLock { $0.state.isProven(place) } }

    /// Whether a refusal is known.
    var hasRefusals: Bool { guarded.withLock { $0.state.hasRefusals } }

    /// Records the refusal of a password that was sent without an attempt.
    func recordRefusal(_ place: Place, path: RequestPath) {
        let now = now
        if let reporter {
            return change(place, now: now, reporter) { $0.recordRefusal(place, path: path, now: now) }
        }
        change(at: place, now: now) { $0.recordRefusal(place, path: path, now: now) }
    }

    /// Forgets all refusals.
    func forgive() { change(now: now) { $0.forgive() } }

    /// Lets the place try the password once more, because a person has written it anew. From then on it has another number, so that
    /// requests that were refused before see that there is an answer.
    func readmit(_ place: Place) {
        var isNew = false
        change(now: now) { isNew = $0.readmit(place) }
        if isNew { currentNumber.store(Self.newNumber(), ordering: .relaxed) }
    }

    private static func newNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

    /// A number that no other password of the process has; not 0.
    var number: UInt64 { currentNumber.load(ordering: .relaxed) }

    /// Takes over the rules of a new profile.
    func update(_ rules: LockoutRules) { change(now: now) { $0.rules = LockoutRules.Nanoseconds(rules) } }

    func settle(
        _ number: UInt64,
        _ place: Place,
        path: RequestPath,
        under pass: StandingPass?,
        _ result: AttemptResult
    ) {
        let now = now
        if let pass, result == .accepted {
            pass.accepted(at: path, now: now)
            // The pass was closed before, and the state counts the attempt.
            if pass.end() { return }
        }
        // With another result the attempt ends inside the lock, because only a thread that holds it closes a pass.
        let open = result == .accepted ? nil : pass
        func settle(_ state: inout PasswordState) {
            let isUnderPass = open?.end() ?? false
            state.settle(number, place, path: path, result, isUnderPass: isUnderPass, now: now)
        }
        if let reporter { return change(place, now: now, reporter, settle) }
        change(at: place, now: now, settle)
    }

    /// Changes the state, and reports what became of `place`.
    private func change(
        _ place: Place,
        now: MonotonicTime,
        _ reporter: Reporter,
        _ body: (inout PasswordState) -> Void
    ) {
        var (before, after) = (PasswordState.Standing.unknown, PasswordState.Standing.unknown)
        change(at: place, now: now) { state in
            before = state.standing(of: place)
            body(&state)
            after = state.standing(of: place)
        }
        guard before != after else { return }
        let pause = after.pausedUntil == before.pausedUntil ? nil : after.pausedUntil
        reporter.report(
            LockoutChange(
                account: reporter.account,
                host: place.host,
                isProxy: place.isProxy,
                before: before.stage,
                now: after.stage,
                pause: pause.map { .nanoseconds(max(0, $0 - now)) }
            )
        )
    }

    /// A turn is dropped.
    func leave(_ number: UInt64, _ place: Place) {
        let now = now
        change(at: place, now: now, forgetting: number) { $0.leave(number, place, now: now) }
    }

    private func change(
        at place: Place? = nil,
        now: MonotonicTime,
        forgetting turn: UInt64? = nil,
        _ body: (inout PasswordState) -> Void
    ) {
        let called = withState(of: place, now) { guarded in
            if let turn { guarded.turns[turn] = nil }
            body(&guarded.state)
            return Self.takeCalled(&guarded)
        }
        // Outside the lock, because a called request may ask again at once.
        for turn in called { turn.call() }
    }

    private static func takeCalled(_ guarded: inout Guarded) -> [AttemptTurn] {
        guard !guarded.state.calls.isEmpty else { return [] }
        let called = guarded.state.calls.compactMap { guarded.turns.removeValue(forKey: $0)?.turn }
        guarded.state.calls = []
        return called
    }
}
