public import Hostnames
internal import Synchronization

/// Limits reports: one for each host and chain in an interval, and a bound for all together.
///
/// A client that retries, or a proxy with many clients, would otherwise report one mismatch thousands of times. When the
/// memory is full of recent reports, no further one is due.
public final class PinReportLimiter: Sendable {
    private let interval: Int64
    private let limit: Int
    private let times: Mutex<[Pin: Int64]>

    /// Makes a limiter without reports.
    ///
    /// - Parameters:
    ///   - interval: seconds until the same host and chain are due again; a day when not given.
    ///   - limit: the most reports in an interval, and the most that is remembered (40 bytes and a little each).
    public init(interval: Int64 = 86_400, limit: Int = 1024) {
        self.interval = interval
        self.limit = limit
        times = Mutex([:])
    }

    /// Whether a report about `host` and `chain` is due at `now`; if so, it counts as made.
    ///
    /// - Parameters:
    ///   - host: the host that the report names.
    ///   - chain: the chain that no pin matches.
    ///   - now: seconds since 1970-01-01T00:00:00Z. A clock that was set back makes a report due.
    /// - Complexity: O(*n*) in the bytes of the chain, and in what is remembered when that is full.
    public func isDue(_ host: Hostname, _ chain: ValidatedChain, now: Int64) -> Bool {
        let key = Self.key(host, chain)
        return times.withLock { times in
            if let last = times[key], last <= now, now - last < interval { return false }
            if times[key] == nil, times.count >= limit {
                times = times.filter { $0.value <= now && now - $0.value < interval }
                guard times.count < limit else { return false }
            }
            times[key] = now
            assert(times.count <= limit)
            return true
        }
    }

    /// The hash of a host and certificates; its size is fixed, and an attacker cannot choose it.
    private static func key(_ host: Hostname, _ chain: ValidatedChain) -> Pin {
        var bytes = [UInt8](host.description.utf8)
        for certificate in chain.contents.certificates {
            let pin = Pin(hashing: certificate.span)
            // A host has no zero byte, so zero separates the parts.
            bytes.append(0)
            bytes += pin.bytes
        }
        return Pin(hashing: bytes.span)
    }
}
