internal import WireFormat

/// Reads the UTCTime or GeneralizedTime (RFC 5280 4.1.2.5) at `time` as seconds since 1970-01-01T00:00:00Z.
///
/// Both forms end in `Z` and have seconds and no fraction, as RFC 5280 demands. A UTCTime's year of two digits is 1950 to
/// 2049. A GeneralizedTime before 2050 is read as well, although its maker should have written a UTCTime. Leap seconds do
/// not exist here: a second of 60 is an error.
///
/// - Returns: at least −62 167 219 200 (the year 0) and at most 253 402 300 799 (the end of 9999).
package func unixSeconds(ofTime time: DERElement, in bytes: Span<UInt8>) throws(CertificateError) -> Int64 {
    let yearDigits = time.tag == DERTag.generalizedTime ? 4 : 2
    let digits = yearDigits + 10
    let range = time.contents
    guard range.count == digits + 1, bytes[range.upperBound - 1] == UInt8(ascii: "Z") else {
        throw .invalidTime(offset: time.start)
    }
    for offset in range.dropLast() where !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) {
        throw .invalidTime(offset: time.start)
    }
    func number(at position: Int) -> Int64 {
        let start = range.lowerBound + position
        return Int64(bytes[start] - UInt8(ascii: "0")) * 10 + Int64(bytes[start + 1] - UInt8(ascii: "0"))
    }
    var year = number(at: 0)
    if yearDigits == 4 { year = year * 100 + number(at: 2) } else { year += year < 50 ? 2000 : 1900 }
    let month = number(at: yearDigits)
    let day = number(at: yearDigits + 2)
    let hour = number(at: yearDigits + 4)
    let minute = number(at: yearDigits + 6)
    let second = number(at: yearDigits + 8)
    guard (1...12).contains(month), (1...Timestamp.daysInMonth(month, of: year)).contains(day),
        hour < 24, minute < 60, second < 60
    else { throw .invalidTime(offset: time.start) }
    return ((Timestamp.daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
}

/// A time as RFC 3339 writes it, `2026-07-01T00:00:00Z`; years before 0 and after 9999 are written as these.
///
/// - Parameter seconds: since 1970-01-01T00:00:00Z.
package func timestamp(_ seconds: Int64) -> String {
    let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
    var days = seconds / 86_400
    var second = seconds % 86_400
    if second < 0 { (days, second) = (days - 1, second + 86_400) }
    // The calendar of `Timestamp.daysSince1970`, the other way round: an era has 146 097 days, and its years start in March.
    let day = days + 719_468 + 146_097
    let dayOfEra = day % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = (monthFromMarch + 2) % 12 + 1
    let year = yearOfEra + day / 146_097 * 400 - 400 + (month <= 2 ? 1 : 0)
    func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: count - text.utf8.count) + text
    }
    return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, 2)
        + "T" + [second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }.joined(separator: ":") + "Z"
}
