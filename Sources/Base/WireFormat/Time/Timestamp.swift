/// A time as RFC 3339 5.6 writes it, `2036-01-01T00:00:00Z`, of the years 1 to 9999.
///
/// The one reader of times in policies, profiles, options and other tools' output: a time that does not exist is an error,
/// because other readers carry 30 February over to March, and pins then hold longer than was written. Leap seconds do not
/// exist here, as in certificates.
package struct Timestamp: Equatable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64
    /// The first six digits of the fraction.
    package let microseconds: Int64

    /// The seconds of the years 1 to 9999. ASN.1 has no times outside of them, and what makes such a time traps.
    package static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Reads `yyyy-MM-ddThh:mm:ss`, perhaps a fraction, and `Z` or an offset like `+01:00`.
    ///
    /// - Parameter allowsDay: whether `yyyy-MM-dd` by itself is the start of that day in UTC.
    package init(
        parsing text: some StringProtocol,
        allowsDay: Bool = false
    ) throws(TimestampError) {
        let bytes = [UInt8](text.utf8)
        do throws(TimestampError.Reason) {
            self = try Self.read(bytes.span, bytes.indices, years: 1...9999, allowsDay: allowsDay)
        } catch {
            throw TimestampError(text: String(text), reason: error, allowsDay: allowsDay)
        }
    }

    /// Reads the same from a part of a document, in UTC alone, also of the year 0, which certificates may name; `nil` if it is not such a time.
    package init?(inUTC bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let last = range.last, bytes[last] == UInt8(ascii: "Z") else { return nil }
        do throws(TimestampError.Reason) { self = try Self.read(bytes, range, years: 0...9999, allowsDay: false) } catch
        { return nil }
    }

    private init(seconds: Int64, microseconds: Int64) {
        self.seconds = seconds
        self.microseconds = microseconds
    }

    private static func read(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        years: ClosedRange<Int64>,
        allowsDay: Bool
    ) throws(TimestampError.Reason) -> Timestamp {
        var place = range.lowerBound
        let end = range.upperBound
        func isDigit(at index: Int) -> Bool { index < end && bytes[index] &- UInt8(ascii: "0") < 10 }
        func skip(_ character: Unicode.Scalar) throws(TimestampError.Reason) {
            guard place < end, bytes[place] == UInt8(ascii: character) else { throw .notATime }
            place += 1
        }
        func number(digits: Int) throws(TimestampError.Reason) -> Int64 {
            var value: Int64 = 0
            for _ in 0..<digits {
                guard isDigit(at: place) else { throw .notATime }
                value = value * 10 + Int64(bytes[place] - UInt8(ascii: "0"))
                place += 1
            }
            return value
        }
        func check(_ field: TimestampError.Field, _ value: Int64, _ limits: ClosedRange<Int64>) throws(TimestampError
            .Reason) -> Int64
        {
            guard limits.contains(value) else { throw .impossible(field, value, limits) }
            return value
        }
        // A year of five digits is a year, and no other mistake; more than nine digits are none.
        var yearDigits = 0
        while yearDigits < 10, isDigit(at: place + yearDigits) { yearDigits += 1 }
        guard (4...9).contains(yearDigits) else { throw .notATime }
        let year = try check(.year, try number(digits: yearDigits), years)
        guard yearDigits == 4 else { throw .notATime }
        try skip("-")
        let month = try check(.month, try number(digits: 2), 1...12)
        try skip("-")
        let day = try check(.day, try number(digits: 2), 1...CalendarDay.count(inMonth: month, of: year))
        let midnight = CalendarDay(year, month, day).since1970 * CalendarDay.seconds
        if allowsDay, place == end { return Timestamp(seconds: midnight, microseconds: 0) }
        try skip("T")
        let hour = try check(.hour, try number(digits: 2), 0...23)
        try skip(":")
        let minute = try check(.minute, try number(digits: 2), 0...59)
        try skip(":")
        let second = try check(.second, try number(digits: 2), 0...59)
        var microseconds: Int64 = 0
        if place < end, bytes[place] == UInt8(ascii: ".") {
            place += 1
            guard isDigit(at: place) else { throw .notATime }
            var unit: Int64 = 100_000
            while isDigit(at: place) {
                microseconds += Int64(bytes[place] - UInt8(ascii: "0")) * unit
                unit /= 10
                place += 1
            }
        }
        var offset: Int64 = 0
        guard place < end else { throw .notATime }
        switch bytes[place] {
        case UInt8(ascii: "Z"): place += 1
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            let sign: Int64 = bytes[place] == UInt8(ascii: "+") ? 1 : -1
            place += 1
            let hours = try check(.offsetHour, try number(digits: 2), 0...23)
            try skip(":")
            offset = sign * (hours * 3600 + (try check(.offsetMinute, try number(digits: 2), 0...59)) * 60)
        default: throw .notATime
        }
        guard place == end else { throw .notATime }
        let seconds = midnight + hour * 3600 + minute * 60 + second - offset
        guard Self.range.contains(seconds) else {
            throw .impossible(.year, seconds < range.lowerBound ? 0 : 10_000, 1...9999)
        }
        return Timestamp(seconds: seconds, microseconds: microseconds)
    }
}
