internal import Logging
internal import NIOCore

/// What all connections of one event loop share.
final class LoopContext {
    let eventLoop: any EventLoop
    let core: RelayCore
    let heads = HeadMemory()
    /// What a connection holds between its reads: the memory of the last one is used again by the next.
    let noBytes = ByteBuffer()
    /// The line that is added to each head.
    let via: [UInt8]
    /// The time of the last sweep: exact enough for limits of seconds, and free.
    private(set) var now = NIODeadline.now()
    /// Whether the relay takes no more clients.
    private(set) var isEnding = false
    var counters = RelayCounters()
    var latencies = RelayLatencies()

    init(_ core: RelayCore, on eventLoop: any EventLoop) {
        (self.core, self.eventLoop) = (core, eventLoop)
        via = Array(core.via.utf8)
    }

    var limits: RelayLimits { core.settings.limits }

    /// Reads the clock, for a sweep.
    func readClock() { now = .now() }

    /// Notes that the relay takes no more clients.
    func beginEnd() { isEnding = true }

    /// The way past parents that take no connection, if the settings allow it; counted, and logged once an hour.
    func fallback(from ways: [NextHop]) -> NextHop? {
        guard core.settings.fallsBackToDirect, !ways.isEmpty, core.health.areUnreachable(ways) else { return nil }
        counters.directFallbacks += 1
        if core.refusals.isNews("direct fallback", at: now) {
            core.logger.warning("no parent can be reached: requests go directly until one can")
        }
        return .direct
    }

    /// Counts and logs a password that a party has refused.
    func noteBadLogOn(_ account: String, by party: String) {
        counters.badLogOns += 1
        core.logger.warning("a password was refused", metadata: ["by": "\(party)", "account": "\(account)"])
    }
}
