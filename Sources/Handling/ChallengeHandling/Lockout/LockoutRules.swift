/// How careful the handler is with passwords that a server refuses.
public struct LockoutRules: Equatable, Sendable {
    /// For an account with a domain: the refusals in a row after which its password is sent nowhere for
    /// ``observationWindow``. Attempts with an unproven password that get no response count alike, because the directory may have counted
    /// them. Keep it below the lock-out threshold of the directory.
    public var maximumRefusals = 2
    /// How long the directory counts a bad log-on.
    public var observationWindow: Duration = .seconds(30 * 60)
    /// How long one attempt may take until the next request may try. An attempt that ends later still counts.
    public var attemptLimit: Duration = .seconds(60)
    /// How long a path is withheld after a server that knows the password refused it there.
    public var withholding: Duration = .seconds(5 * 60)
    /// How long a refused password stays refused; `nil` means until it changes or is forgiven.
    public var refusalLifetime: Duration?

    /// Whether one attempt at a time runs also while the password is known to be right: over all places for an account with a domain,
    /// otherwise at each place.
    ///
    /// Then a password that was changed elsewhere is refused twice at most, whatever the number of connections, and once more for each attempt
    /// that was given up. Without it, the attempts
    /// that are under way at that moment are all refused, because they cannot be called back. The price is that answers which
    /// depend on the password go out one after the other: each request of Basic and Digest, and each new connection of NTLM.
    public var isOneAtATime = false

    /// The default rules.
    public init() {}

    /// The rules in nanoseconds, as the budget needs them.
    struct Nanoseconds: Equatable, Sendable {
        let maximumRefusals: Int
        let observationWindow: Int64
        let attemptLimit: Int64
        let withholding: Int64
        let refusalLifetime: Int64
        let isOneAtATime: Bool

        init(_ rules: LockoutRules) {
            maximumRefusals = max(1, rules.maximumRefusals)
            observationWindow = max(0, rules.observationWindow.nanoseconds)
            attemptLimit = max(0, rules.attemptLimit.nanoseconds)
            withholding = max(0, rules.withholding.nanoseconds)
            isOneAtATime = rules.isOneAtATime
            refusalLifetime = max(0, rules.refusalLifetime?.nanoseconds ?? .max)
        }
    }
}
