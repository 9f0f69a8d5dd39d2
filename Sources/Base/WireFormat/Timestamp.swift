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
        do throws(TimestampError.Reason) {
            self = try Self.read([UInt8](text.utf8), allowsDay: allowsDay)
        } catch {
            throw TimestampError(text: String(text), reason: error, allowsDay: allowsDay)
        }
    }

    private init(seconds: Int64, microseconds: Int64) {
        self.seconds = seconds
        self.microseconds = microseconds
    }

    private static func read(_ bytes: [UInt8], allowsDay: Bool) throws(TimestampError.Reason) -> Timestamp {
        var place = 0
        func isDigit(at index: Int) -> Bool { index < bytes.count && bytes[index] &- UInt8(ascii: "0") < 10 }
        func skip(_ character: Unicode.Scalar) throws(TimestampError.Reason) {
            guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { throw .notATime }
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
        while yearDigits < 10, isDigit(at: yearDigits) { yearDigits += 1 }
        guard (4...9).contains(yearDigits) else { throw .notATime }
        let year = try check(.year, try number(digits: yearDigits), 1...9999)
        guard yearDigits == 4 else { throw .notATime }
        try skip("-")
        let month = try check(.month, try number(digits: 2), 1...12)
        try skip("-")
        let day = try check(.day, try number(digits: 2), 1...daysInMonth(month, of: year))
        let midnight = daysSince1970(year, month, day) * 86_400
        if allowsDay, place == bytes.count { return Timestamp(seconds: midnight, microseconds: 0) }
        try skip("T")
        let hour = try check(.hour, try number(digits: 2), 0...23)
        try skip(":")
        let minute = try check(.minute, try number(digits: 2), 0...59)
        try skip(":")
        let second = try check(.second, try number(digits: 2), 0...59)
        var microseconds: Int64 = 0
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
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
        guard place < bytes.count else { throw .notATime }
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
        guard place == bytes.count else { throw .notATime }
        let seconds = midnight + hour * 3600 + minute * 60 + second - offset
        guard range.contains(seconds) else {
            throw .impossible(.year, seconds < range.lowerBound ? 0 : 10_000, 1...9999)
        }
        return Timestamp(seconds: seconds, microseconds: microseconds)
    }

    // MARK: - Calendar

    /// Days of a month, from 1, of the Gregorian calendar.
    @inlinable
    package static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar, which is taken to reach back to the year 0.
    @inlinable
    package static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // The year starts in March here, so that the leap day comes last and months have a regular pattern of lengths.
        // Years are counted from 400 before the era, one whole cycle, so no quotient is negative.
        let year = year + 400 - (month <= 2 ? 1 : 0)
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        // 1970-01-01 is day 719 468 counted from 0000-03-01; the cycle of 400 years has 146 097 days.
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
    }
}

/// Why a text is not a time.
package struct TimestampError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A part of a time.
    package enum Field: String, Sendable {
        case year, month, day, hour, minute, second
        case offsetHour = "offset's hour"
        case offsetMinute = "offset's minute"
    }

    /// What is wrong with it.
    package enum Reason: Error, Equatable, Sendable {
        /// It has another form.
        case notATime
        /// A part has a value that no time has.
        case impossible(Field, Int64, ClosedRange<Int64>)
    }

    /// What was read.
    package let text: String
    /// What is wrong with it.
    package let reason: Reason
    /// Whether a day by itself would do.
    let allowsDay: Bool

    /// The longest part of a text that an error repeats, in characters.
    private static let mostQuoted = 40

    /// The value, what is wrong and what to do, in one line.
    package var description: String {
        let isPlain = text.utf8.count <= Self.mostQuoted && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        let value = isPlain ? "'\(text)'" : "the text"
        let remedy = "write \(allowsDay ? "a day like 2036-01-01 or " : "")a time like 2036-01-01T00:00:00Z"
        return switch reason {
        case .notATime: "\(value) is not a time: \(remedy)"
        case .impossible(let field, let found, let limits):
            "\(value) is not a time, because the \(field.rawValue) \(found) is not in \(limits.lowerBound) to "
                + "\(limits.upperBound): \(remedy)"
        }
    }
}
