extension Timestamp {
    /// The seconds that have a text: those of ``range`` and of the year 0, which certificates may name.
    private static let written = CalendarDay(0, 1, 1).since1970 * CalendarDay.seconds...range.upperBound

    /// A number of seconds since 1970 as `yyyy-MM-ddThh:mm:ssZ`. Times outside of the years 0 to 9999 are moved to their ends.
    package static func text(unixSeconds: Int64) -> String { text(unixSeconds, fraction: "") }

    /// A number of microseconds since 1970 as `yyyy-MM-ddThh:mm:ss.ffffffZ`. Times outside of the years 1 to 9999 are moved to their ends.
    package static func text(unixMicroseconds: Int64) -> String {
        let limits = range.lowerBound * 1_000_000...range.upperBound * 1_000_000
        let (seconds, rest) = min(max(unixMicroseconds, limits.lowerBound), limits.upperBound).dividedDown(
            by: 1_000_000
        )
        return text(seconds, fraction: "." + rest.padded(6))
    }

    private static func text(_ seconds: Int64, fraction: String) -> String {
        let (days, second) = min(max(seconds, written.lowerBound), written.upperBound).dividedDown(
            by: CalendarDay.seconds
        )
        let day = CalendarDay(since1970: days)
        return "\(day.year.padded(4))-\(day.month.padded(2))-\(day.day.padded(2))"
            + "T\((second / 3600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))\(fraction)Z"
    }
}

extension Int64 {
    /// The quotient, rounded down, and the remainder, which is not negative.
    fileprivate func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The decimal digits, with zeros before them.
    fileprivate func padded(_ count: Int) -> String {
        let digits = String(self)
        let missing = count - digits.utf8.count
        return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
    }
}
