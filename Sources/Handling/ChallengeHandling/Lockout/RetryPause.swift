/// The time without attempts after one whose result is unknown. It grows while results stay unknown.
struct RetryPause: Sendable {
    /// The first unknown response costs nothing, because one redirect is not a fault; then the pause doubles, in seconds.
    private static let longestAfterError: Int64 = 64
    /// A page that always redirects has mostly accepted the password, and must stay usable.
    private static let longestAfterRedirect: Int64 = 2
    /// Without a response the server may have counted a bad log-on, so few attempts follow. The first loss costs nothing, because a connection
    /// is mostly lost for another reason. For an account with a domain ``UnansweredAttempts`` decides.
    private static let afterSilence: [Int64] = [0, 60, 900]
    private static let second: Int64 = 1_000_000_000

    private var responses = 0
    private var silences = 0
    /// When the next attempt may begin.
    private(set) var end = MonotonicTime(nanoseconds: .min)

    mutating func afterResponse(isRedirect: Bool, now: MonotonicTime) {
        // During a pause only attempts end that began before it, side by side. They are one repetition.
        guard now >= end else { return }
        let longest = isRedirect ? Self.longestAfterRedirect : Self.longestAfterError
        if responses > 0 { end = now + min(1 << Int64(min(responses - 1, 16)), longest) * Self.second }
        responses += 1
    }

    mutating func afterSilence(now: MonotonicTime) {
        end = now + Self.afterSilence[min(silences, Self.afterSilence.count - 1)] * Self.second
        silences += 1
    }
}
