/// What a result has changed in the lock-out budget of one password.
public struct LockoutChange: Equatable, Sendable {
    /// What a place did with a password.
    public enum Stage: String, Sendable {
        /// No result yet: one attempt at a time.
        case unproven
        /// The place accepted it.
        case proven
        /// The place accepted it before and refused it last: one attempt at a time.
        case doubted
        /// The place refused it: no attempt until a way back.
        case refused
    }

    /// The account's name in the profile.
    public let account: String
    /// The host of the place.
    public let host: String
    /// Whether the place is a proxy.
    public let isProxy: Bool
    /// The stage before.
    public let before: Stage
    /// The stage now.
    public let now: Stage
    /// How long the password is sent nowhere from now on; `nil` unless the change began such a pause.
    public let pause: Duration?
}

/// Receives changes of lock-out budgets.
typealias LockoutReport = @Sendable (LockoutChange) -> Void
