import Foundation
import Testing
import WireFormat

@Suite struct JSONLineTests {
    @Test("Foundation reads what was written, and the line is printable ASCII") func read() throws {
        let texts = ["", "a\"b\\c", "line\nend\r\t\u{0}\u{1F}\u{7F}", "Zürich \u{1F512} \u{2028}", "\u{FFFD}é"]
        var inner = JSONLine()
        inner.add("number", Int64.min)
        inner.add("largest", UInt64.max)
        var line = JSONLine()
        for (index, text) in texts.enumerated() { line.add("text\(index)", text) }
        line.add("none", String?.none)
        line.add("noNumber", Int?.none)
        line.add("flag", true)
        line.add("list", texts)
        line.add("pairs", [["a", "b"], []])
        line.add("objects", [inner, JSONLine()])
        line.add("object", inner)
        line.add("noObject", JSONLine?.none)
        let bytes = line.line
        #expect(bytes.last == UInt8(ascii: "\n"))
        #expect(bytes.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
        let object = [UInt8](bytes.dropLast())
        try JSONCheck.check(object.span)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        for (index, text) in texts.enumerated() { #expect(read["text\(index)"] as? String == text) }
        #expect(read["list"] as? [String] == texts && read["pairs"] as? [[String]] == [["a", "b"], []])
        #expect(read["none"] is NSNull && read["noNumber"] is NSNull && read["noObject"] is NSNull)
        #expect(read["flag"] as? Bool == true)
        let nested = try #require(read["object"] as? [String: Any])
        #expect((nested["number"] as? NSNumber)?.int64Value == .min)
        #expect((nested["largest"] as? NSNumber)?.uint64Value == .max)
        #expect((read["objects"] as? [[String: Any]])?.count == 2)
    }
}

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
