/// A point in time: 100-nanosecond steps since 1601-01-01 00:00 UTC (`FILETIME`, MS-DTYP 2.3.3).
public struct FileTime: RawRepresentable, Comparable, Hashable, Sendable {
    /// The number of steps.
    public var rawValue: UInt64

    /// Steps in a second.
    public static let stepsPerSecond: UInt64 = 10_000_000
    /// Seconds from the start of 1601 to the start of 1970.
    private static let unixEpochSeconds: Int64 = 11_644_473_600

    /// Takes a number of steps.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Converts a Unix time; a time outside the range becomes the nearest bound.
    ///
    /// - Parameters:
    ///   - unixSeconds: whole seconds since the start of 1970.
    ///   - nanoseconds: nanoseconds after that second, 0 to 999 999 999.
    public init(unixSeconds: Int64, nanoseconds: Int32 = 0) {
        let (seconds, beyond) = unixSeconds.addingReportingOverflow(Self.unixEpochSeconds)
        guard !beyond else {
            self.init(rawValue: .max)
            return
        }
        guard seconds >= 0 else {
            self.init(rawValue: 0)
            return
        }
        let (steps, tooMany) = UInt64(seconds).multipliedReportingOverflow(by: Self.stepsPerSecond)
        let (sum, overflow) = steps.addingReportingOverflow(UInt64(max(0, min(nanoseconds, 999_999_999)) / 100))
        self.init(rawValue: tooMany || overflow ? .max : sum)
    }

    /// The whole seconds since the start of 1970; negative before.
    public var unixSeconds: Int64 { Int64(rawValue / Self.stepsPerSecond) - Self.unixEpochSeconds }

    /// Returns whether `left` is earlier than `right`.
    public static func < (left: FileTime, right: FileTime) -> Bool { left.rawValue < right.rawValue }

    /// The distance of two points in time in whole seconds; never negative.
    package func seconds(from other: FileTime) -> Int64 {
        Int64((max(rawValue, other.rawValue) - min(rawValue, other.rawValue)) / Self.stepsPerSecond)
    }
}
