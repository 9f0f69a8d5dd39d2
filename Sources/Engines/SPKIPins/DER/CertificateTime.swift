package import WireFormat

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
    guard (1...12).contains(month), (1...CalendarDay.count(inMonth: month, of: year)).contains(day),
        hour < 24, minute < 60, second < 60
    else { throw .invalidTime(offset: time.start) }
    return ((CalendarDay(year, month, day).since1970 * 24 + hour) * 60 + minute) * 60 + second
}
