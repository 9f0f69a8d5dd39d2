public import NTLM

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension FileTime {
    /// The system's clock; the engines have none of their own.
    public static var now: FileTime {
        var time = timespec()
        // Cannot fail: the clock exists everywhere and the memory is ours.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(unixSeconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }
}
