/// How many wrong passwords a server takes before it stops listening for a while.
public struct GuessRules: Equatable, Sendable {
    /// Wrong passwords for one account: as many from all addresses together that it has not logged on from, and as many from each address that
    /// it has. A right password makes none of them uncounted.
    public var perAccount: Int
    /// Wrong passwords from one address, or from the first 64 bits of an IPv6 address, over all accounts that have not logged on from there. Those
    /// that have are let in all the same.
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
