#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The clocks of the system.
package enum SystemClock {
    /// Seconds since 1970-01-01T00:00:00Z.
    package static var unixSeconds: Int64 { read(CLOCK_REALTIME).seconds }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    package static var unixNanoseconds: Int64 {
        let (seconds, nanoseconds) = read(CLOCK_REALTIME)
        return seconds * 1_000_000_000 + nanoseconds
    }

    /// Nanoseconds of a clock that is never set, since an arbitrary time.
    package static var monotonicNanoseconds: Int64 {
        let (seconds, nanoseconds) = read(CLOCK_MONOTONIC)
        return seconds * 1_000_000_000 + nanoseconds
    }

    /// Nanoseconds of processor time of this process.
    package static var processorNanoseconds: Int64 {
        let (seconds, nanoseconds) = read(CLOCK_PROCESS_CPUTIME_ID)
        return seconds * 1_000_000_000 + nanoseconds
    }

    private static func read(_ clock: clockid_t) -> (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        let status = unsafe clock_gettime(clock, &time)
        precondition(status == 0, "the system has no such clock")
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }
}
