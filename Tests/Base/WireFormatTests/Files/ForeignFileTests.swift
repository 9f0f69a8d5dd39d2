import Foundation
import Testing

@testable import WireFormat

@Suite struct ForeignFileTests {
    private static let text = "# Größe: 😀 €\r\nwiki.example\n"

    private static func form(_ bytes: [UInt8]) -> ForeignFile? { ForeignFile(bytes.span) }

    @Test("UTF-16 of either order is converted as Foundation converts it", arguments: [true, false])
    func utf16(isBigEndian: Bool) throws {
        let data = try #require(Self.text.data(using: isBigEndian ? .utf16BigEndian : .utf16LittleEndian))
        let bytes = (isBigEndian ? [0xfe, 0xff] : [0xff, 0xfe]) + [UInt8](data)
        #expect(Self.form(bytes) == .utf16(isBigEndian: isBigEndian))
        #expect(String(decoding: try ForeignFile.text(bytes), as: UTF8.self) == Self.text)
        // Half a character, and a surrogate without its other half (Unicode 3.9, D91), are not repaired.
        let surrogate: [UInt8] = isBigEndian ? [0xd8, 0x3d] : [0x3d, 0xd8]
        for broken in [
            bytes.dropLast() + [], bytes + surrogate, bytes + surrogate + (isBigEndian ? [0, 0x41] : [0x41, 0]),
        ] {
            #expect(throws: ForeignFile.utf16(isBigEndian: isBigEndian)) { try ForeignFile.text(broken) }
        }
    }

    @Test(
        "Other forms are named with the remedy",
        arguments: [
            ([0x1f, 0x8b, 8, 0], "gunzip"), ([0x50, 0x4b, 3, 4, 20], "unzip"), (Array("BZh91AY&SY".utf8), "bunzip2"),
            ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0], "unxz"), ([0x28, 0xb5, 0x2f, 0xfd, 4], "unzstd"),
            ([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0], "UTF-32"), ([0x30, 0x82, 3, 0x20, 0x30], "DER"),
            ([0x30, 0x81, 0x80, 2, 1], "DER"),
        ] as [([UInt8], String)]
    )
    func named(bytes: [UInt8], word: String) throws {
        let form = try #require(Self.form(bytes))
        #expect(form.description.contains(word) && !form.description.contains("\n"))
        #expect(throws: form) { try ForeignFile.text(bytes) }
    }

    @Test(
        "The mark of UTF-8 (RFC 3629 section 6) at the start is no part of a text",
        arguments: ["", "wiki.example\n", "\u{feff}"]
    )
    func mark(text: String) throws {
        let bytes: [UInt8] = [0xef, 0xbb, 0xbf] + Array(text.utf8)
        #expect(Self.form(bytes) == nil && ForeignFile.markLength(bytes.span) == 3)
        #expect(try ForeignFile.text(bytes) == Array(text.utf8))
    }

    @Test(
        "Text is itself",
        arguments: ["", "0", "0123", "BZh9-password", "PK", "wiki.example\n", "{}", "\u{fefe}", "a\u{feff}"]
    )
    func texts(text: String) throws {
        let bytes = Array(text.utf8)
        #expect(Self.form(bytes) == nil)
        #expect(try ForeignFile.text(bytes) == bytes)
    }
}
