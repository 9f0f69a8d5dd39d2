public import NTLM

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension FileTime {
    /// The time of the system clock.
    public static var now: FileTime {
        var time = timespec()
        // Cannot fail, because every supported system has this clock and `time` is valid memory.
        let status = unsafe clock_gettime(CLOCK_REALTIME, &time)
        assert(status == 0)
        return FileTime(unixSeconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }
}
