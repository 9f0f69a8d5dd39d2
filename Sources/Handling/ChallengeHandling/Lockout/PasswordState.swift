/// The rules for sending one password of one account: a place that has refused it does not get it again, and a directory counts no more bad
/// log-ons than ``LockoutRules/maximumRefusals`` in its window. The page of model rooms says what they cannot promise.
///
/// The value has no lock and no clock, so that tests can drive it through any order of events. ``PasswordBudget`` adds
/// both.
struct PasswordState: Sendable {
    /// The permission for an attempt, or why there is none.
    enum Admission: Equatable, Sendable {
        /// Begin; report the result under this number.
        case go(number: UInt64)
        /// Ask again with this number when it is called, or at the deadline.
        case wait(number: UInt64, deadline: MonotonicTime)
        /// The place refused the password.
        case refused
        /// The place had accepted the password, and then refused it at this path. It has accepted it elsewhere since, unless
        /// `isDoubted`.
        case withheld(until: MonotonicTime, isDoubted: Bool)
        /// The password was refused several times in a row, at one place or more.
        case accountPaused(until: MonotonicTime)
        /// Attempts had results that do not tell whether the password is right, so the next one may begin then at the earliest.
        case resultUnknown(until: MonotonicTime)
    }

    /// The longest pause that a request waits for. Before a longer one it ends at once, so that its user learns how long it is.
    static let longestWait: Int64 = 5_000_000_000

    /// The most places of one password. At the bound, one that no request uses is forgotten: an accepted one first.
    static let maximumPlaces = 8192

    /// Whether a directory counts the refusals of all places together, as for an account with a domain.
    let isShared: Bool
    /// May change when a profile is loaded again.
    var rules: LockoutRules.Nanoseconds { didSet { if rules != oldValue { disturb() } } }
    var places = PlaceTable<PlaceRecord>()
    private let total: PlaceCount
    /// The number of the next attempt or waiting request.
    private var nextNumber: UInt64 = 1
    /// Used for an account with a domain.
    var gate = AttemptGate()
    /// Used for an account with a domain.
    var unanswered = UnansweredAttempts()
    private(set) var hasSucceeded = false
    private(set) var pausedUntil: MonotonicTime?
    /// The waiting requests that must ask again now; the owner calls them and empties the list.
    var calls: [UInt64] = []
    /// Counts the events that end every ``StandingPass``: a refusal, a challenge that may be one, an attempt that was lost or given up, a request that
    /// waits, other rules, and a person who forgives a refusal or writes the password anew.
    private(set) var disturbances = 0

    init(isShared: Bool, rules: LockoutRules.Nanoseconds, total: PlaceCount = PlaceCount()) {
        self.isShared = isShared
        self.rules = rules
        self.total = total
    }

    /// The number of places that are known.
    var placeCount: Int { places.count }

    /// Asks to send the password to `path` at `place`.
    ///
    /// - Parameters:
    ///   - waiting: the number from an earlier ``Admission/wait(number:deadline:)`` of the same request.
    ///   - companion: the number of an attempt that the same request makes at another place.
    ///   - unjudged: the number of an attempt of the same request that ended as ``AttemptResult/unjudged``.
    mutating func admit(
        _ place: Place,
        path: RequestPath,
        waiting: UInt64?,
        besides companion: UInt64? = nil,
        after unjudged: UInt64? = nil,
        now: MonotonicTime
    ) -> Admission {
        if let pausedUntil {
            guard pausedUntil <= now else { return .accountPaused(until: pausedUntil) }
            self.pausedUntil = nil
            gate.forgive()
        }
        let index = places.index(of: place) ?? add(place)
        places[index].update(now, lifetime: rules.refusalLifetime)
        withGate(index) { [rules] in $0.update(now, observationWindow: rules.observationWindow) }
        unanswered.update(now, observationWindow: rules.observationWindow)
        let heldCall = waiting.map { number in withGate(index) { $0.remove(number) } } ?? false
        if let refusal = refusal(index, path, now) ?? unjudged.flatMap({ outcome(of: $0, index, now) }) {
            if heldCall { callNext(index, now) }
            return refusal
        }
        let isProven = places[index].stage == .proven
        if isProven, !isOneAtATime, withGate(index, { $0.isOpen(now) }) { return begin(index) }
        if let end = endOfPause(index, isProven, now) {
            guard end - now <= Self.longestWait else {
                if heldCall { callNext(index, now) }
                return .resultUnknown(until: end)
            }
            let number = waiting ?? takeNumber()
            withGate(index) { $0.paused.add(number) }
            disturb()
            if heldCall { callNext(index, now) }
            return .wait(number: number, deadline: end)
        }
        // A request that carries the password to its proxy and to its origin does not wait for itself. The origin sees it only
        // after the proxy has accepted it.
        if let companion, withGate(index, { [nextNumber] in $0.join(nextNumber, besides: companion) }) {
            return begin(index)
        }
        if let deadline = obstacle(index, isProven, waiting, heldCall, now) {
            let number = waiting ?? takeNumber()
            withGate(index) { $0.queue.add(number) }
            disturb()
            return .wait(number: number, deadline: deadline)
        }
        if isShared, !isProven, let overdue = gate.overdue(now, attemptLimit: rules.attemptLimit) {
            unanswered.giveUp(overdue)
            disturb()
        }
        withGate(index) { [nextNumber, rules] in $0.give(to: nextNumber, now, attemptLimit: rules.attemptLimit) }
        return begin(index)
    }

    /// Asks to send the password to `path` at `place` if the place has just accepted it and no other attempt is in doubt.
    ///
    /// - Returns: the number of the attempt; `nil` if the request must ask the place first.
    mutating func admitWhileProven(_ place: Place, path: RequestPath, now: MonotonicTime) -> UInt64? {
        guard pausedUntil == nil, !isOneAtATime, let index = places.index(of: place) else { return nil }
        guard places[index].stage == .proven, withGate(index, { $0.isOpen(now) }), refusal(index, path, now) == nil
        else { return nil }
        places[index].begin()
        return takeNumber()
    }

    /// An attempt that nothing has judged takes the outcome of the one that was refused after it, if the place is in doubt since.
    private mutating func outcome(of unjudged: UInt64, _ index: Int, _ now: MonotonicTime) -> Admission? {
        guard places[index].stage == .doubted, unjudged < withGate(index, { $0.firstAfterRefusal }) else { return nil }
        return .withheld(until: now + rules.observationWindow, isDoubted: true)
    }

    var isOneAtATime: Bool { rules.isOneAtATime }

    private mutating func disturb() { disturbances += 1 }

    private func refusal(_ index: Int, _ path: RequestPath, _ now: MonotonicTime) -> Admission? {
        if places[index].stage == .refused { return .refused }
        guard places[index].withholdsPaths else { return nil }
        let isDoubted = places[index].stage == .doubted
        return places[index].endOfWithholding(path, now: now, rules).map { .withheld(until: $0, isDoubted: isDoubted) }
    }

    /// When a request that cannot begin now should ask again at the latest; `nil` if it can begin.
    private mutating func obstacle(
        _ index: Int,
        _ isProven: Bool,
        _ waiting: UInt64?,
        _ heldCall: Bool,
        _ now: MonotonicTime
    ) -> MonotonicTime? {
        let limit = rules.attemptLimit
        // A slow page holds up the others only where two attempts must not run at once.
        let passesSlowPage = isProven && !isOneAtATime
        if let end = withGate(index, { $0.busyUntil(now, passesSlowPage: passesSlowPage, attemptLimit: limit) }) {
            return end
        }
        if heldCall { return nil }
        if let end = withGate(index, { $0.queue.endOfGrant(toOtherThan: waiting, now: now) }) { return end }
        // An attempt was given up or a grant has ended, and another request was here before.
        guard let ahead = withGate(index, { $0.queue.first }), waiting.map({ ahead < $0 }) ?? true else { return nil }
        callNext(index, now)
        return now + WaitQueue.grantLimit
    }

    /// Ends an attempt with its result.
    ///
    /// - Parameter isUnderPass: whether a ``StandingPass`` that stands has counted the attempt.
    mutating func settle(
        _ number: UInt64,
        _ place: Place,
        path: RequestPath,
        _ result: AttemptResult,
        isUnderPass: Bool = false,
        now: MonotonicTime
    ) {
        // A place is not forgotten while an attempt runs; the table may be above its bound then.
        let index = places.index(of: place) ?? add(place)
        if !isUnderPass { places[index].end() }
        let (release, isNewest) = withGate(index) { gate in (gate.release(number), number >= gate.firstAfterRefusal) }
        if isShared {
            let isLost = result == .unanswered && places[index].stage != .proven
            if isLost { disturb() }
            unanswered.ended(
                number,
                release,
                isLost: isLost,
                isAccepted: result == .accepted,
                nextNumber: nextNumber,
                now: now
            )
        }
        switch result {
        case .accepted:
            places[index].accepted(at: path, isNewest: isNewest)
            withGate(index) { $0.accepted(number, now: now) }
            if isNewest {
                hasSucceeded = true
                pausedUntil = nil
                unanswered.accepted(number)
            }
            if isOneAtATime { callNext(index, now) } else { callAll(index) }
        case .refused:
            disturb()
            let isNews = places[index].refused(
                at: path,
                isTrusted: isShared && hasSucceeded && gate.refusalsInARow == 0,
                isSecond: withGate(index) { $0.refusalsInARow > 0 },
                isNewest: isNewest,
                now: now,
                rules
            )
            if isNews { countRefusal(index, now) }
            callAll(index)
        case .unjudged:
            disturb()
            // Also of an attempt that began before the last success: the password may have changed since.
            withGate(index) { [nextNumber] in $0.suspected(nextNumber: nextNumber) }
            callNext(index, now)
        case .redirected, .inconclusive, .unanswered: remainedUnknown(index, result, now)
        case .letIn, .unsent: callNext(index, now)
        }
    }

    /// Records the refusal of a password that was sent without an attempt.
    mutating func recordRefusal(_ place: Place, path: RequestPath, now: MonotonicTime) {
        let index = places.index(of: place) ?? add(place)
        places[index].beginUnadmitted()
        settle(takeNumber(), place, path: path, .refused, now: now)
    }

    private mutating func countRefusal(_ index: Int, _ now: MonotonicTime) {
        withGate(index) { [nextNumber] in $0.refused(nextNumber: nextNumber, now: now) }
        guard isShared, gate.refusalsInARow >= rules.maximumRefusals else { return }
        pausedUntil = now + rules.observationWindow
    }

    /// A waiting request gives up.
    mutating func leave(_ number: UInt64, _ place: Place, now: MonotonicTime) {
        // The place of a waiting request is not forgotten without a domain; with one, the queue is not the place's.
        let index = places.index(of: place) ?? add(place)
        if withGate(index, { $0.remove(number) }) { callNext(index, now) }
    }

    /// Lets the place, and no other, try the password once more: a person has written it anew after a refusal. The next refusal has all its
    /// effects. Returns whether the place had refused the password.
    mutating func readmit(_ place: Place) -> Bool {
        guard let index = places.index(of: place), places[index].stage == .refused || places[index].stage == .doubted
        else { return false }
        disturb()
        // Without this, an old success would take the next refusal for that of one page, and the password would go out twice.
        hasSucceeded = false
        if pausedUntil != nil {
            pausedUntil = nil
            gate.readmit(maximumRefusals: rules.maximumRefusals)
        }
        unanswered = UnansweredAttempts()
        places[index].readmit()
        callAll(index)
        return true
    }

    /// Forgets all refusals: the user or an administrator says that the password is right.
    mutating func forgive() {
        disturb()
        pausedUntil = nil
        gate.forgive()
        unanswered = UnansweredAttempts()
        for index in places.indices {
            places[index].forgive()
            callAll(index)
        }
    }

    private mutating func add(_ place: Place) -> Int {
        let isFull = places.count >= Self.maximumPlaces || total.isFull && places.count > 0
        if isFull, places.forgetOne(\.worth) { total.subtract(1) }
        total.add(1)
        return places.add(PlaceRecord(), at: place)
    }

    private mutating func begin(_ index: Int) -> Admission {
        places[index].begin()
        return .go(number: takeNumber())
    }

    mutating func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// The gate for the place at `index`.
    mutating func withGate<Result>(_ index: Int, _ body: (inout AttemptGate) -> Result) -> Result {
        isShared ? body(&gate) : body(&places[index].gate)
    }

    /// Calls all requests that wait at the gate.
    mutating func callAll(_ index: Int) {
        guard withGate(index, { $0.hasWaiting }) else { return }
        calls += withGate(index) { $0.takeAll() }
    }

    /// Calls the first request that waits at the gate.
    mutating func callNext(_ index: Int, _ now: MonotonicTime) {
        let called = withGate(index) { $0.isHeld ? nil : $0.queue.grantFirst(now: now) }
        if let called { calls.append(called) }
    }
}
