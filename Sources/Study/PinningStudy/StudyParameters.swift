/// The options of a study. Together with the recording they determine every number except the latencies.
public struct StudyParameters: Equatable, Sendable {
    /// When pins are shipped; each shipment is followed until the pins fail.
    public enum Starts: Equatable, Sendable {
        /// At every capture of a host.
        case everyCapture
        /// Every `days` days from a host's first capture to its last.
        case grid(days: Int)
    }

    /// How shipped pins reach users.
    public var curve = UpdateCurve.exponential(halfLifeDays: 7)
    /// Days from seeing a new chain to shipping pins for it.
    public var reactionDays = 1.0
    /// When pins are shipped; each shipment is followed until the pins fail.
    public var starts = Starts.everyCapture
    /// Resamplings of the hosts for each confidence band; 0 = no bands.
    public var resamplings = 500
    /// The seed of the resamplings.
    public var seed: UInt64 = 1
    /// How often each decision is timed; 0 = not timed.
    public var latencyRounds = 1

    /// The default parameters.
    public init() {}

    /// The restricted mean counts at most this many days of a pin's life.
    public static let horizonDays = 365.0
    /// The share of resamplings that a confidence band contains.
    public static let confidence = 0.95
    /// The upper bound of ``resamplings``.
    public static let mostResamplings = 100_000
}
