extension Timestamp {
    /// A number of microseconds since 1970 as `yyyy-MM-ddThh:mm:ss.ffffffZ`. Times outside of the years 1 to 9999 are moved to their ends.
    package static func text(unixMicroseconds: Int64) -> String {
        let limits = range.lowerBound * 1_000_000...range.upperBound * 1_000_000
        let time = min(max(unixMicroseconds, limits.lowerBound), limits.upperBound)
        let day = time.dividedDown(by: 86_400_000_000)
        let rest = time - day * 86_400_000_000
        // The first year that may contain the day; years have 366 days at most.
        var year = 1970 + day.dividedDown(by: 366)
        while daysSince1970(year + 1, 1, 1) <= day { year += 1 }
        while daysSince1970(year, 1, 1) > day { year -= 1 }
        var month: Int64 = 1
        while month < 12, daysSince1970(year, month + 1, 1) <= day { month += 1 }
        let dayOfMonth = day - daysSince1970(year, month, 1) + 1
        let seconds = rest / 1_000_000
        return "\(year.padded(4))-\(month.padded(2))-\(dayOfMonth.padded(2))"
            + "T\((seconds / 3_600).padded(2)):\((seconds / 60 % 60).padded(2)):\((seconds % 60).padded(2))"
            + ".\((rest % 1_000_000).padded(6))Z"
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The decimal digits, with zeros before them.
    fileprivate func padded(_ count: Int) -> String {
        let digits = String(self)
        let missing = count - digits.count
        return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
    }
}
