import Foundation
import Testing

@testable import WireFormat

@Suite struct TimestampTests {
    // Expected values from GNU date: `date -u -d TEXT +%s`.
    @Test(
        "Times of RFC 3339",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2036-01-01T00:00:00Z", 2_082_758_400),
            ("2000-02-29T23:59:59Z", 951_868_799), ("1999-12-31T23:00:00-01:00", 946_684_800),
            ("2026-01-02T04:04:05+01:00", 1_767_323_045), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("2026-01-31T09:30:00.25Z", 1_769_851_800),
        ]
    )
    func times(text: String, seconds: Int64) throws {
        #expect(try Timestamp(parsing: text).seconds == seconds)
    }

    @Test func fractionsAndDays() throws {
        #expect(try Timestamp(parsing: "2026-01-31T09:30:00.25Z").microseconds == 250_000)
        #expect(try Timestamp(parsing: "2026-01-31T09:30:00.1234567Z").microseconds == 123_456)
        #expect(try Timestamp(parsing: "2036-01-01", allowsDay: true).seconds == 2_082_758_400)
    }

    @Test(
        "A time that does not exist names its part",
        arguments: [
            ("2026-02-30T00:00:00Z", TimestampError.Field.day, 30, 1...28), ("2024-02-30T00:00:00Z", .day, 30, 1...29),
            ("1900-02-29T00:00:00Z", .day, 29, 1...28), ("2026-04-31T00:00:00Z", .day, 31, 1...30),
            ("2026-13-01T00:00:00Z", .month, 13, 1...12), ("2026-01-00T00:00:00Z", .day, 0, 1...31),
            ("2026-01-01T25:00:00Z", .hour, 25, 0...23), ("2026-01-01T24:00:00Z", .hour, 24, 0...23),
            ("2026-01-01T00:60:00Z", .minute, 60, 0...59), ("2026-01-01T00:00:61Z", .second, 61, 0...59),
            ("2026-01-01T00:00:60Z", .second, 60, 0...59), ("10000-01-01T00:00:00Z", .year, 10_000, 1...9999),
            ("99999-01-01T00:00:00Z", .year, 99_999, 1...9999), ("0000-01-01T00:00:00Z", .year, 0, 1...9999),
            ("0001-01-01T00:00:00+00:01", .year, 0, 1...9999), ("9999-12-31T23:59:59-00:01", .year, 10_000, 1...9999),
            ("2026-01-01T00:00:00+24:00", .offsetHour, 24, 0...23),
        ] as [(String, TimestampError.Field, Int64, ClosedRange<Int64>)]
    )
    func impossible(text: String, field: TimestampError.Field, value: Int64, limits: ClosedRange<Int64>) {
        #expect(throws: TimestampError(text: text, reason: .impossible(field, value, limits), allowsDay: false)) {
            try Timestamp(parsing: text)
        }
    }

    @Test(
        "Other texts are not times",
        arguments: [
            "", "yesterday", "2026-01-01", "2026-1-1T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "-2026-01-01T00:00:00Z", "2026-01-01T00:00Z",
            "99999999999999999999-01-01T00:00:00Z", "２０２６-01-01T00:00:00Z", "2026-01-01T00:00:00+1",
        ]
    )
    func notATime(text: String) {
        #expect(throws: TimestampError(text: text, reason: .notATime, allowsDay: false)) {
            try Timestamp(parsing: text)
        }
    }

    @Test func everyDayIsTheDayAfterTheOneBefore() throws {
        // A naive count from 1600 to 2400, with the rule of the calendar and nothing else.
        var day = -135_140
        for year in 1600...2400 {
            for (month, days) in [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
                let count = month == 1 ? (isLeap ? 29 : 28) : days
                for date in 1...count {
                    let counted = CalendarDay(Int64(year), Int64(month + 1), Int64(date))
                    #expect(counted.since1970 == Int64(day))
                    #expect(CalendarDay(since1970: Int64(day)) == counted)
                    day += 1
                }
            }
        }
    }

    @Test func errorsNameValueAndRemedy() {
        #expect(
            "\(TimestampError(text: "2026-02-30T00:00:00Z", reason: .impossible(.day, 30, 1...28), allowsDay: false))"
                == "'2026-02-30T00:00:00Z' is not a time, because the day 30 is not in 1 to 28: "
                + "write a time like 2036-01-01T00:00:00Z"
        )
    }
}
