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

    /// The text that is not a time; an error repeats it if it is short and printable.
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
