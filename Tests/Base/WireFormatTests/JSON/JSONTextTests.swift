import Foundation
import Testing
import WireFormat

@Suite struct JSONTextTests {
    @Test("Foundation reads the written text back", arguments: UInt8.min...UInt8.max)
    func everyByte(byte: UInt8) throws {
        for bytes in [[byte], [0x61, byte, 0x62], [0xc3, byte], [byte, byte]] {
            var text = Array("\"".utf8)
            text.append(jsonText: bytes.span)
            text.append(UInt8(ascii: "\""))
            let read = try JSONDecoder().decode(String.self, from: Data(text))
            #expect(read == String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("One byte that needs escaping is found at every position", arguments: [0, 1, 14, 15, 16, 31, 32, 63, 64, 65])
    func everyPlace(place: Int) throws {
        for byte in [UInt8(0x1f), 0x22, 0x5c, 0x7f] {
            var bytes = [UInt8](repeating: 0x20, count: 66)
            bytes[place] = byte
            var text: [UInt8] = []
            text.append(jsonText: bytes.span)
            #expect(text.count > bytes.count)
        }
        var text: [UInt8] = []
        let plain = [UInt8](repeating: 0x7e, count: place)
        text.append(jsonText: plain.span)
        #expect(text == plain)
    }

    @Test(
        "The one rule",
        arguments: [
            ("a/b", "a/b"), ("\"\\", #"\"\\"#), ("\u{8}\u{9}\u{A}\u{C}\u{D}", #"\b\t\n\f\r"#),
            ("\u{0}\u{B}\u{1B}\u{1F}\u{7F}\u{9B}", #"\u0000\u000b\u001b\u001f\u007f\u009b"#),
            ("\u{2028}\u{2029}\u{202E}\u{FEFF}\u{AD}", #"\u2028\u2029\u202e\ufeff\u00ad"#),
            ("\u{E0041}", #"\udb40\udc41"#),
            ("Zürich \u{1F512} e\u{301}", "Zürich \u{1F512} e\u{301}"), ("", ""),
        ]
    )
    func rule(text: String, escaped: String) throws {
        #expect(Array(JSONText.escaped(text).utf8) == Array(escaped.utf8))
        #expect(Array(JSONText.quoted(text).utf8) == Array("\"\(escaped)\"".utf8))
        var bytes: [UInt8] = []
        bytes.append(jsonString: text)
        #expect(bytes == Array("\"\(escaped)\"".utf8))
        let read = try JSONDecoder().decode(String.self, from: Data(bytes))
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("What an encoder has written gets the same escapes, and stays the same document")
    func encoded() throws {
        let texts = ["a\u{202E}b\u{7F}", "\u{7F}", "\u{9B}\u{2028}é\"\\\n/", "\u{E0041}x", "plain", ""]
        let document = Dictionary(uniqueKeysWithValues: texts.map { ($0, [$0, "ü"]) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
        let written = JSONText.escaped(json: try encoder.encode(document).span)
        #expect(try JSONDecoder().decode([String: [String]].self, from: Data(written.utf8)) == document)
        for text in texts { #expect(written.contains(JSONText.quoted(text))) }
    }

    @Test("Foundation reads back every character, and none that is left controls a terminal or ends a line")
    func everyCharacter() throws {
        var text = ""
        for values in [0..<0xD800, 0xE000..<0xFDD0, 0xE0000..<0xE01F0] as [Range<UInt32>] {
            text.unicodeScalars.append(contentsOf: values.compactMap(Unicode.Scalar.init))
        }
        let quoted = JSONText.quoted(text)
        let read = try JSONDecoder().decode(String.self, from: Data(quoted.utf8))
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
        let isSafe = quoted.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        #expect(isSafe)
    }
}
