/// How a card is used.
public struct SmartCardOptions: Sendable {
    /// Whether a PIN is tried although one more wrong PIN locks the card.
    public var usesLastTry = false
    /// Whether a PIN is tried although the card refused it before in this process.
    public var retriesRefusedPIN = false
    /// How long one operation may take, such as a signature; what waits in the queue counts, too.
    public var waitLimit: Duration = .seconds(10)

    /// No last try, no refused PIN, and 10 seconds.
    public init() {}
}
