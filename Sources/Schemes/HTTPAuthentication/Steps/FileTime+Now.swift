public import NTLM
internal import WireFormat

extension FileTime {
    /// The time of the system clock.
    public static var now: FileTime {
        let (seconds, nanoseconds) = SystemClock.unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return FileTime(unixSeconds: seconds, nanoseconds: Int32(nanoseconds))
    }
}
