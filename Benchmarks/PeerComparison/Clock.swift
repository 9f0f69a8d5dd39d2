#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The two clocks of a measurement, in nanoseconds.
package enum Clock {
    /// Processor time of this process; other processes on the machine hardly change it.
    package static func processor() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Elapsed time, including the time of other processes; used for the latency of single calls.
    package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
