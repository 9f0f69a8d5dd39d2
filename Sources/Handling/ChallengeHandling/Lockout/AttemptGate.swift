/// Lets one request at a time try a password until a success shows that it is right.
///
/// An account with a domain has one gate, because a directory counts its refusals at all places together. Without a
/// domain each place has its own.
struct AttemptGate: Sendable {
    /// How long after a success several attempts may begin at once. After that the next attempt is alone until it
    /// ends, so that a password that was changed in the meantime is refused once and not once a connection.
    static let proofLease: Int64 = 100_000_000
    /// How long requests wait for such an attempt if the password is proven and not in doubt: a refusal is fast, so that
    /// a later response is only a slow page.
    static let slowPage: Int64 = 2_000_000_000

    /// The attempt that is alone.
    private var holder: (number: UInt64, start: MonotonicTime)?
    /// Another attempt of the holder's request, which holds the gate after it.
    private var companion: UInt64?
    private(set) var lastSuccess = MonotonicTime(nanoseconds: .min)
    /// Whether a challenge that may be a refusal came since the last success.
    private var isSuspected = false
    /// Refusals with no success in between, while a directory counts them.
    private(set) var refusalsInARow = 0
    private(set) var lastRefusal = MonotonicTime(nanoseconds: .min)
    /// Attempts with a smaller number began before the last challenge that may be a refusal.
    private var firstAfterSuspicion: UInt64 = 0
    /// Attempts with a smaller number began before the last refusal was known.
    private(set) var firstAfterRefusal: UInt64 = 0
    /// After a result that does not tell.
    var pause = RetryPause()
    /// The requests that wait for the gate.
    var queue = WaitQueue()
    /// The requests that wait for the end of a pause. They hold up no others.
    var paused = WaitQueue()

    /// Whether several attempts may begin at once where the password is proven.
    func isOpen(_ now: MonotonicTime) -> Bool { now < lastSuccess + Self.proofLease && isTrusted }

    private var isTrusted: Bool { refusalsInARow == 0 && !isSuspected }

    /// When a request that must be alone should ask again; `nil` if it may begin.
    ///
    /// - Parameter passesSlowPage: whether an attempt without a response for a while is taken for a slow page if no refusal is
    ///   known.
    func busyUntil(_ now: MonotonicTime, passesSlowPage: Bool, attemptLimit: Int64) -> MonotonicTime? {
        guard let holder else { return nil }
        let end = holder.start + (passesSlowPage && isTrusted ? min(Self.slowPage, attemptLimit) : attemptLimit)
        return end > now ? end : nil
    }

    /// Gives the gate to attempt `number`, unless a slower one still holds it.
    mutating func give(to number: UInt64, _ now: MonotonicTime, attemptLimit: Int64) {
        if let holder, holder.start + attemptLimit > now { return }
        holder = (number, now)
        companion = nil
    }

    /// Lets attempt `number` run beside attempt `other` of the same request. Returns whether that one holds the gate.
    mutating func join(_ number: UInt64, besides other: UInt64) -> Bool {
        guard holder?.number == other else { return false }
        companion = number
        return true
    }

    /// What an attempt held of the gate when it ended.
    enum Release { case nothing, half, whole }

    /// Frees the gate if attempt `number` holds it alone.
    mutating func release(_ number: UInt64) -> Release {
        if companion == number {
            companion = nil
            return .half
        }
        guard let ended = holder, ended.number == number else { return .nothing }
        holder = companion.map { ($0, ended.start) }
        companion = nil
        return holder == nil ? .whole : .half
    }

    /// The attempt that still holds the gate after its time limit; `nil` without such an attempt.
    func overdue(_ now: MonotonicTime, attemptLimit: Int64) -> UInt64? {
        holder.flatMap { $0.start + attemptLimit <= now ? $0.number : nil }
    }

    var isHeld: Bool { holder != nil }

    mutating func accepted(_ number: UInt64, now: MonotonicTime) {
        guard number >= max(firstAfterRefusal, firstAfterSuspicion) else { return }
        lastSuccess = now
        isSuspected = false
        refusalsInARow = 0
        pause = RetryPause()
    }

    /// Takes over the time of the last success under a pass.
    mutating func succeeded(at time: MonotonicTime) { lastSuccess = max(lastSuccess, time) }

    /// Forgets refusals that a directory no longer counts.
    mutating func update(_ now: MonotonicTime, observationWindow: Int64) {
        if refusalsInARow > 0, lastRefusal + observationWindow <= now { refusalsInARow = 0 }
    }

    mutating func refused(nextNumber: UInt64, now: MonotonicTime) {
        firstAfterRefusal = nextNumber
        lastRefusal = now
        refusalsInARow += 1
    }

    /// Closes the gate until the next success: a challenge came that may be a refusal.
    mutating func suspected(nextNumber: UInt64) {
        firstAfterSuspicion = nextNumber
        isSuspected = true
    }

    /// Removes a waiting request. Returns whether the freed gate was granted to it.
    mutating func remove(_ number: UInt64) -> Bool {
        if !paused.isEmpty { _ = paused.remove(number) }
        return queue.remove(number)
    }

    /// Whether a request waits. Asked first, because nearly always none does.
    var hasWaiting: Bool { !queue.isEmpty || !paused.isEmpty }

    /// Removes and returns all waiting requests.
    mutating func takeAll() -> [UInt64] { queue.takeAll() + paused.takeAll() }

    /// Ends a block so that one more refusal begins it again.
    mutating func readmit(maximumRefusals: Int) { refusalsInARow = min(refusalsInARow, max(0, maximumRefusals - 1)) }

    /// Forgets refusals and pauses.
    mutating func forgive() {
        isSuspected = false
        refusalsInARow = 0
        pause = RetryPause()
    }
}
