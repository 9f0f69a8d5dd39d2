import Foundation
import Testing
import WireFormat

@Suite struct TimestampTextTests {
    @Test(
        "Times are written as Foundation writes them",
        arguments: [
            0, 1, 951_782_400, 951_868_799, 1_709_164_800, 1_763_971_200, 4_102_444_799, -1, -86_400, -2_203_891_200,
            253_402_300_798, -12_000_000_000,
        ] as [Int64]
    )
    func written(seconds: Int64) throws {
        let text = Timestamp.text(unixMicroseconds: seconds * 1_000_000 + 42)
        let style = Date.ISO8601FormatStyle()
        #expect(text.prefix(19) == style.format(Date(timeIntervalSince1970: TimeInterval(seconds))).prefix(19))
        #expect(text.hasSuffix(".000042Z"))
        let read = try Timestamp(parsing: text)
        #expect(read.seconds == seconds && read.microseconds == 42)
    }

    @Test("A time beyond the calendar is moved to its end") func beyond() {
        #expect(Timestamp.text(unixMicroseconds: .max).hasPrefix("9999-12-31T23:59:59"))
        #expect(Timestamp.text(unixMicroseconds: .min).hasPrefix("0001-01-01T00:00:00"))
    }
}
