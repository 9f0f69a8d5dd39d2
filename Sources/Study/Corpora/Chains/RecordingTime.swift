internal import WireFormat

/// Times as recordings write them (RFC 3339, UTC): `2026-01-31T09:30:00Z`, with or without a fraction.
package enum RecordingTime {
    /// Seconds since 1970 of the text at `range`; the fraction is cut off. `nil` when it is not such a time.
    static func unixSeconds(in line: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        guard range.count >= 20, line[range.upperBound - 1] == UInt8(ascii: "Z") else { return nil }
        let start = range.lowerBound
        guard line[start + 4] == UInt8(ascii: "-"), line[start + 7] == UInt8(ascii: "-"),
            line[start + 10] == UInt8(ascii: "T"), line[start + 13] == UInt8(ascii: ":"),
            line[start + 16] == UInt8(ascii: ":")
        else { return nil }
        var areDigits = true
        func number(_ offset: Int) -> Int {
            let (tens, ones) = (
                line[start + offset] &- UInt8(ascii: "0"), line[start + offset + 1] &- UInt8(ascii: "0")
            )
            areDigits = areDigits && tens < 10 && ones < 10
            return Int(tens) * 10 + Int(ones)
        }
        let (year, month, day) = (number(0) * 100 + number(2), number(5), number(8))
        let (hour, minute, second) = (number(11), number(14), number(17))
        guard areDigits, (1...12).contains(month), day >= 1,
            day <= Int(Timestamp.daysInMonth(Int64(month), of: Int64(year))), hour < 24,
            minute < 60, second < 60
        else { return nil }
        if range.count > 20 {
            guard line[start + 19] == UInt8(ascii: "."), range.count > 21 else { return nil }
            for index in start + 20..<range.upperBound - 1 where line[index] &- UInt8(ascii: "0") > 9 { return nil }
        }
        let days = Timestamp.daysSince1970(Int64(year), Int64(month), Int64(day))
        return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// The text for a time: to the second, in UTC.
    package static func text(_ unixSeconds: Int64) -> String {
        let seconds = Int(unixSeconds)
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - day * 86_400
        // Days since 0000-03-01, in years that start in March: the leap day is the last of its year.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * ofYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(ofYear - (153 * fromMarch + 2) / 5 + 1, 2))"
        return "\(date)T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))Z"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
