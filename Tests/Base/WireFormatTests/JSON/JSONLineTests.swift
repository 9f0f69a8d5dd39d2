import Foundation
import Testing
import WireFormat

@Suite struct JSONLineTests {
    @Test("Foundation reads what was written, and the line has no control character") func read() throws {
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
        #expect(bytes.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        let object = [UInt8](bytes.dropLast())
        #expect(line.object == object)
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
