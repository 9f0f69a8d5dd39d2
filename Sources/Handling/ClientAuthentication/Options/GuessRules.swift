/// How many wrong passwords a server takes before it stops listening for a while.
public struct GuessRules: Equatable, Sendable {
    /// Wrong passwords for one account, over all addresses. An address that has logged on to the account before is let in all the
    /// same, so that a stranger cannot lock a user out.
    public var perAccount: Int
    /// Wrong passwords from one address, over all accounts.
    public var perAddress: Int
    /// How long a wrong password counts.
    public var windowSeconds: Int64
    /// How long an address counts as known for an account after a log-on.
    public var familiarSeconds: Int64

    /// Ten for each account and 100 for each address in 30 minutes; addresses stay known for a day.
    public init(
        perAccount: Int = 10,
        perAddress: Int = 100,
        windowSeconds: Int64 = 1_800,
        familiarSeconds: Int64 = 86_400
    ) {
        self.perAccount = max(1, perAccount)
        self.perAddress = max(1, perAddress)
        self.windowSeconds = max(1, windowSeconds)
        self.familiarSeconds = max(0, familiarSeconds)
    }
}
