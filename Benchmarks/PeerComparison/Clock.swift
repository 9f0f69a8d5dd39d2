#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The two clocks of a measurement, in nanoseconds.
package enum Clock {
    /// Processor time of this process: what somebody else does on the machine hardly counts.
    package static func processor() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Time that passes, whoever uses it: what a single call's latency is made of.
    package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
