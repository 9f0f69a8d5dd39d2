internal import Corpora

/// How long pins that were shipped at one moment matched; seconds from that moment.
public struct PinLife: Codable, Equatable, Sendable {
    /// The last moment at which they are known to have matched.
    public let alive: Int64
    /// The first moment at which they are known not to match; `nil` when they matched until the recording's end.
    public let dead: Int64?
}

/// Two bounds of a quantity. The time of a change is unknown: it lies between the last sight of the old chain and the
/// first sight of the new one.
public struct Bounds: Codable, Equatable, Sendable {
    /// The value if every change happened at the earliest possible time.
    public var early: Double
    /// The value if every change happened at the latest possible time.
    public var late: Double
}

/// An impostor's chain, and whether the pins of that time accepted it.
struct ImpostorRecord: Codable, Equatable, Sendable {
    let label: ChainLabel
    let accepted: Bool
    /// Days from its first sight until pins refuse it or the recording ends; 0 if it was refused.
    let openDays: Double
    /// Whether pins that refuse it were shipped before the recording ended; true if it was refused at once.
    let isClosed: Bool
}

/// A leaked key, and how long pins accepted the thief's chain.
struct LeakRecord: Codable, Equatable, Sendable {
    /// Days after the leak during which the newest shipped pins accepted the chain.
    let windowDays: Double
    /// Days after the leak during which an average user's pins accepted the chain.
    let userDays: Double
    /// Whether pins refused the chain before its certificate expired and before the recording ended.
    let isClosed: Bool
}

/// The result of one strategy at one host; a study's statistics are computed from these records alone.
///
/// Records of different hosts are independent, so a study can be split by host and merged.
struct HostRecord: Codable, Equatable, Sendable {
    let host: String
    var lives: [PinLife] = []
    /// Changes of chain that the pins shipped before the change refused.
    var outages = 0
    /// Days from the first capture to the last.
    var observedDays = 0.0
    /// Days during which the newest shipped pins refused the host.
    var hostDays = Bounds(early: 0, late: 0)
    /// Days that an average user was locked out.
    var userDays = Bounds(early: 0, late: 0)
    /// The number of pins in the last release; 0 for a host without pins.
    var pins = 0
    var mostPins = 0
    /// The size of a compiled set of the last pins.
    var bytes = 0
    var exposure = Exposure(keys: 0, authorities: 0, organisations: 0)
    var impostors: [ImpostorRecord] = []
    var leaks: [LeakRecord] = []
    /// Latencies of decisions and their counts, in ascending order.
    var latencies: [LatencyCount] = []
}

/// How many decisions took `nanoseconds`.
struct LatencyCount: Codable, Equatable, Sendable {
    let nanoseconds: UInt64
    let count: UInt64
}
