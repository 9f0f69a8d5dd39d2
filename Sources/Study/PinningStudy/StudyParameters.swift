/// What a study was asked: with the recording, it determines every number but the latencies.
public struct StudyParameters: Equatable, Sendable {
    /// When pins are shipped that are then followed until they fail.
    public enum Starts: Equatable, Sendable {
        /// At every capture of a host.
        case everyCapture
        /// Every so many days from a host's first capture to its last.
        case grid(days: Int)
    }

    /// How shipped pins reach users.
    public var curve = UpdateCurve.exponential(halfLifeDays: 7)
    /// Days from seeing a new chain to shipping pins for it.
    public var reactionDays = 1.0
    /// When pins are shipped that are then followed until they fail.
    public var starts = Starts.everyCapture
    /// Resamplings of the hosts for each band; 0 for none.
    public var resamplings = 500
    /// What the resamplings start from.
    public var seed: UInt64 = 1
    /// How often each decision is timed; 0 for never.
    public var latencyRounds = 1

    /// The parameters of a study that nobody changed.
    public init() {}

    /// Days to which a pin's life is counted in a restricted mean.
    public static let horizonDays = 365.0
    /// The share of resamplings that a band holds.
    public static let confidence = 0.95
    /// The most resamplings.
    public static let mostResamplings = 100_000
}
