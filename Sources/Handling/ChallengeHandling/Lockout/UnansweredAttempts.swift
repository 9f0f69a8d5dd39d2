/// The attempts of an account with a domain that a directory may have counted as bad log-ons, although no response said so.
///
/// A lost connection does not tell whether the party has asked the directory before. So while the password is not known to be right, each such
/// attempt takes one of ``LockoutRules/maximumRefusals``: the next attempt goes out at once as long as one is left, and after that none does until
/// the directory has forgotten one, or another place accepts the password.
struct UnansweredAttempts: Sendable {
    /// When attempts ended without a response, oldest first. At most as many as there may be refusals, because then no attempt begins.
    private var losses: [MonotonicTime] = []
    /// Attempts that have outlasted their limit and have not ended, so that their result may still come.
    private var givenUp: [UInt64] = []
    /// Whether one of the two attempts of the request at the gate was lost. They count once, because the origin gets the password only after the
    /// proxy has accepted it.
    private var isHalfLost = false
    /// Attempts with a smaller number began before the last loss was known.
    private var firstAfterLoss: UInt64 = 0

    /// The number of log-ons that may have been bad.
    var count: Int { losses.count + givenUp.count }

    /// Whether a success would change nothing.
    var isEmpty: Bool { count == 0 && !isHalfLost }

    /// When the directory forgets the first loss; `nil` without a loss.
    func endOfFirst(_ observationWindow: Int64) -> MonotonicTime? { losses.first.map { $0 + observationWindow } }

    /// Forgets losses that a directory no longer counts.
    mutating func update(_ now: MonotonicTime, observationWindow: Int64) {
        if !losses.isEmpty { losses.removeAll { $0 + observationWindow <= now } }
    }

    /// The next attempt begins although attempt `number` has not ended.
    mutating func giveUp(_ number: UInt64) { givenUp.append(number) }

    /// Notes the end of an attempt.
    ///
    /// - Parameters:
    ///   - release: what the attempt held of the gate. Without a part of it the attempt began while the password was known to be right, beside
    ///     others, so its loss tells nothing.
    ///   - isLost: whether the password was sent, no response came, and the place had not accepted the password.
    mutating func ended(
        _ number: UInt64,
        _ release: AttemptGate.Release,
        isLost: Bool,
        isAccepted: Bool,
        nextNumber: UInt64,
        now: MonotonicTime
    ) {
        let wasGivenUp = givenUp.firstIndex(of: number).map { givenUp.remove(at: $0) } != nil
        if release == .half {
            isHalfLost = isHalfLost || isLost
            return
        }
        guard wasGivenUp || release == .whole else { return }
        let counts = isLost || release == .whole && isHalfLost && !isAccepted
        if release == .whole { isHalfLost = false }
        guard counts else { return }
        losses.append(now)
        firstAfterLoss = nextNumber
    }

    /// Takes a success: the password is right, so none of the attempts before was a bad log-on.
    mutating func accepted(_ number: UInt64) {
        if number >= firstAfterLoss { self = UnansweredAttempts() }
    }
}
