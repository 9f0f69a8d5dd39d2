import Foundation
import Testing

@testable import WireFormat

@Suite struct JSONScannerTests {
    private static func text(_ bytes: [UInt8]) throws(JSONProblem) -> String {
        var scanner = JSONScanner()
        let text = try scanner.text(bytes.span)
        #expect(scanner.position == bytes.count)
        return String(decoding: text, as: UTF8.self)
    }

    private static func problem(_ bytes: [UInt8]) -> JSONProblem.Kind? {
        do throws(JSONProblem) {
            _ = try text(bytes)
            return nil
        } catch {
            return error.kind
        }
    }

    // MARK: - Strings

    @Test(
        "Foundation reads the same text",
        arguments: [
            #""""#, #""a\"b\\c\/""#, #""\b\f\n\r\t""#, #""\u00e9\u00E9\ud83d\ude00\u0000""#, "\"é😀\u{7F}\u{2028}\"",
            #""\\\\\\\\\"\"\"\"""#, #""e\u0301""#,
        ]
    )
    func texts(json: String) throws {
        let expected = try JSONDecoder().decode(String.self, from: Data(json.utf8))
        let read = try Self.text(Array(json.utf8))
        #expect(Array(read.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("An escape is found at each place of a word of eight bytes", arguments: 0..<20)
    func escapes(place: Int) throws {
        let letters = String(repeating: "x", count: 20)
        let (before, after) = (letters.prefix(place), letters.dropFirst(place))
        #expect(try Self.text(Array("\"\(before)\\n\(after)\"".utf8)) == "\(before)\n\(after)")
        #expect(try Self.text(Array("\"\(before)é\\u00e9\(after)\"".utf8)) == "\(before)éé\(after)")
    }

    @Test(
        "What is not a string says what was expected",
        arguments: [
            (#""\ud83d""#, "a pair of surrogates"), (#""\ud83d\u0041""#, "a pair of surrogates"),
            (#""\ude00\ud83d""#, "a pair of surrogates"), (#""\ud83d\n""#, "a pair of surrogates"),
            (#""\u12g4""#, "four hexadecimal digits"), (#""\u12"#, "four hexadecimal digits"),
            (#""\ud83d\u12"#, "four hexadecimal digits"), (#""\x""#, "an escape of JSON"),
            (#""\U0041""#, "an escape of JSON"),
            (#""a"#, "the end of a text"), (#""\"#, "the end of a text"), (#""\""#, "the end of a text"),
            ("1", "a text"),
            ("", "a text"), ("'a'", "a text"),
            ("\"a\nb\"", "a character, which control characters are not (write them as \\u00XX)"),
            ("\"\u{0}\"", "a character, which control characters are not (write them as \\u00XX)"),
        ]
    )
    func malformed(json: String, expected: String) {
        #expect(Self.problem(Array(json.utf8)) == .expected(expected))
    }

    @Test(
        "Bytes that are not UTF-8 are an error",
        arguments: [
            [0xFF], [0xC3], [0xA9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
            // An escape inside a character.
            [0xC3, 0x5C, 0x6E, 0xA9],
        ] as [[UInt8]]
    )
    func brokenTexts(bytes: [UInt8]) {
        #expect(Self.problem([0x22, 0x61] + bytes + [0x62, 0x22]) == .expected("UTF-8"))
    }

    @Test(
        "A plain text ends at its quote; one with a backslash or a control character is left where it is",
        arguments: 0..<40
    )
    func plainTexts(count: Int) {
        // Each differs in one bit from a byte that ends the text, or is the next larger byte.
        let others: [UInt8] = [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0x9F, 0xA2, 0xDC, 0xFF, 0x32, 0x4C]
        for start in others.indices {
            let text = (0..<count).map { others[(start + $0) % others.count] }
            for stop in [0x22, 0x5C, 0x1F, 0x00, 0x0A] as [UInt8] {
                // The bytes after the end must not change the result.
                for rest in [[], [0x22], [UInt8](repeating: 0x22, count: 9)] as [[UInt8]] {
                    let bytes = [0x22] + text + [stop] + rest
                    var scanner = JSONScanner()
                    let range = scanner.plainText(bytes.span)
                    #expect(range == (stop == 0x22 ? 1..<count + 1 : nil))
                    #expect(scanner.position == (stop == 0x22 ? count + 2 : 0))
                }
            }
            let unended = [0x22] + text
            var scanner = JSONScanner()
            #expect(scanner.plainText(unended.span) == nil && scanner.position == 0)
        }
    }

    @Test("A text of a known length needs its quotes") func countedTexts() {
        let bytes = Array(#" "abcd","#.utf8)
        for count in 0..<8 {
            var scanner = JSONScanner()
            #expect(scanner.plainText(bytes.span, count: count) == (count == 4 ? 2..<6 : nil))
            #expect(scanner.position == (count == 4 ? 7 : 1))
        }
    }

    // MARK: - Other values

    @Test(
        "A whole number",
        arguments: [
            ("0", 0, 1), ("7 ", 7, 1), (" 65535,", 65_535, 6), ("123456789012345", 123_456_789_012_345, 15),
            ("1234567890123456", nil, 0), ("01", nil, 0), ("00", nil, 0), ("1.5", nil, 0), ("1e3", nil, 0),
            ("1E3", nil, 0),
            ("-1", nil, 0), ("", nil, 0), ("a", nil, 0),
        ] as [(String, Int?, Int)]
    )
    func wholeNumbers(json: String, value: Int?, position: Int) {
        let bytes = Array(json.utf8)
        var scanner = JSONScanner()
        #expect(scanner.wholeNumber(bytes.span) == value)
        #expect(scanner.position == position)
    }

    @Test("The three words, also at the end of the text")
    func words() {
        for (json, value) in [
            ("true", true), ("false", false), ("tru", nil), ("fals", nil), ("falsE", nil), ("talse", nil), ("", nil),
            ("null", nil),
        ] as [(String, Bool?)] {
            let bytes = Array(json.utf8)
            var scanner = JSONScanner()
            #expect(scanner.boolean(bytes.span) == value, "\(json)")
            #expect(scanner.position == (value == nil ? 0 : bytes.count), "\(json)")
        }
        for (json, isNull) in [("null", true), ("nul", false), ("nulL", false), ("n", false), ("", false)] {
            let bytes = Array(json.utf8)
            var scanner = JSONScanner()
            #expect(scanner.null(bytes.span) == isNull, "\(json)")
            #expect(scanner.position == (isNull ? 4 : 0), "\(json)")
        }
    }

    @Test(
        "A value is stepped over to its last byte",
        arguments: [
            #"{"a":[1,{"b":"]}"}],"c":{}}"#, "[]", "[[],[ ]]", #""\"""#, "-0.5e-3", "0", "true", "false", "null",
        ]
    )
    func values(json: String) throws {
        for rest in ["", " ", ",1", "]", "}"] {
            let bytes = Array(" \n\(json)\(rest)".utf8)
            var scanner = JSONScanner()
            try scanner.skipValue(bytes.span)
            #expect(scanner.position == bytes.count - rest.utf8.count, "\(rest)")
        }
    }

    @Test("A place in the middle of a text counts the lines before it") func lines() {
        let bytes = Array("{\n\"a\":\n[1,\n01]}".utf8)
        var scanner = JSONScanner(at: 7)
        let error = #expect(throws: JSONProblem.self) { try scanner.skipValue(bytes.span) }
        #expect(error == JSONProblem(line: 4, kind: .expected("a number without a zero before it")))
    }

    @Test("One byte order mark is passed over") func mark() {
        for (bytes, position) in [([0xEF, 0xBB, 0xBF, 0x31], 3), ([0xEF, 0xBB], 0), ([0x31], 0), ([], 0)]
            as [([UInt8], Int)]
        {
            #expect(JSONScanner(startOf: bytes.span).position == position)
        }
    }
}
