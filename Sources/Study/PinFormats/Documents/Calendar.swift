internal import SPKIPins
internal import WireFormat

/// Days and times as other forms write them.
enum Calendar {
    /// Midnight of `yyyy-MM-dd`, UTC, or a full time (RFC 3339); from 1970 on, since calendars differ about days before
    /// 1582.
    ///
    /// - Parameter place: what holds the text, for the error.
    static func seconds(_ text: String, at place: String) throws(PinFormatError) -> Int64 {
        let time: Timestamp
        do throws(TimestampError) {
            time = try Timestamp(parsing: text, allowsDay: true)
        } catch {
            throw .malformed(place: place, problem: "\(error)")
        }
        guard time.seconds >= 0 else {
            throw .malformed(
                place: place,
                problem: "'\(text)' is before 1970: write a later day, or leave the pins out"
            )
        }
        return time.seconds
    }

    /// `yyyy-MM-dd` of a time; the time of day is dropped, so pins never expire later than stated.
    static func day(_ seconds: Int64) -> String { String(Timestamp.text(unixSeconds: seconds).prefix(10)) }

    /// Whether a time is not midnight.
    static func hasTimeOfDay(_ seconds: Int64) -> Bool { !seconds.isMultiple(of: 86_400) }
}
