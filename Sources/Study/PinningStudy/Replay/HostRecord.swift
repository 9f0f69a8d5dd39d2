internal import Corpora

/// How long pins that were shipped at one moment went on matching; seconds from that moment.
public struct PinLife: Codable, Equatable, Sendable {
    /// The last moment at which they are known to have matched.
    public let alive: Int64
    /// The first moment at which they are known not to match; `nil` when they matched until the recording's end.
    public let dead: Int64?
}

/// A quantity that is known up to when a change happened: right after the last sight of the old chain, or right before the
/// first of the new one.
public struct Bounds: Codable, Equatable, Sendable {
    /// As if every change had happened as early as it can have.
    public var early: Double
    /// As if every change had happened as late as it can have.
    public var late: Double
}

/// An impostor's chain, and what the pins of its time said.
struct ImpostorRecord: Codable, Equatable, Sendable {
    let label: ChainLabel
    let accepted: Bool
    /// Days from its first sight to pins that refuse it, or to the recording's end; 0 when it was not accepted.
    let openDays: Double
    /// Whether pins that refuse it were shipped before the recording ended; true when it was not accepted.
    let isClosed: Bool
}

/// A key that leaked, and how long pins went on accepting the chain of whoever has it.
struct LeakRecord: Codable, Equatable, Sendable {
    /// Days from the leak during which the newest pins that were shipped accepted it.
    let windowDays: Double
    /// The same of an average user's pins.
    let userDays: Double
    /// Whether pins refused it before its certificate expired and before the recording ended.
    let isClosed: Bool
}

/// What one strategy came to at one host: everything that a study's statistics are made of.
///
/// Records of different hosts do not depend on each other, so a study can be split by host and put together again.
struct HostRecord: Codable, Equatable, Sendable {
    let host: String
    var lives: [PinLife] = []
    /// Changes of chain that pins of the moment before refused.
    var outages = 0
    /// Days from the first capture to the last.
    var observedDays = 0.0
    /// Days during which the newest pins that were shipped refused the host.
    var hostDays = Bounds(early: 0, late: 0)
    /// Days that an average user was locked out.
    var userDays = Bounds(early: 0, late: 0)
    /// Of the last pins; 0 for a host that is not pinned.
    var pins = 0
    var mostPins = 0
    /// Of a compiled set of the last pins.
    var bytes = 0
    var exposure = Exposure(keys: 0, authorities: 0, organisations: 0)
    var impostors: [ImpostorRecord] = []
    var leaks: [LeakRecord] = []
    /// Nanoseconds of a decision and how many took so long, in ascending order.
    var latencies: [LatencyCount] = []
}

/// How many decisions took so long.
struct LatencyCount: Codable, Equatable, Sendable {
    let nanoseconds: UInt64
    let count: UInt64
}
