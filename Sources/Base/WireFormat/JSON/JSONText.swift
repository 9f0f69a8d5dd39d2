/// Writes strings of JSON (RFC 8259 section 7): the one rule of this package.
///
/// A quote and a backslash are escaped, and each character that ends a line, controls a terminal or changes the direction of the text
/// beside it, because texts come from the network: the categories Cc, Cf, Zl and Zp of Unicode. `\b`, `\t`, `\n`, `\f` and `\r` are
/// written so, the others as `\u` and four digits in lower case. All other characters, also `/`, stay as they are, in UTF-8.
package enum JSONText {
    /// The text between the quotes. It stays in one line, so it is used in messages and tables too.
    package static func escaped(_ text: String) -> String {
        guard needsEscapes(text.utf8.span) else { return text }
        var bytes: [UInt8] = []
        bytes.append(jsonText: text.utf8.span)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The string with its quotes.
    package static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Escapes what this rule escapes and RFC 8259 does not demand, in a JSON text that an encoder has written.
    ///
    /// Only strings can contain DEL or characters beyond ASCII. So the function does not search for the strings.
    package static func escaped(json: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        var place = 0
        while place < json.count {
            var end = place
            while end < json.count, json[end] < 0x7F { end += 1 }
            bytes.append(copying: json.extracting(place..<end))
            place = end
            while end < json.count, json[end] >= 0x7F { end += 1 }
            bytes.append(jsonText: json.extracting(place..<end))
            place = end
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a byte may need an escape: anything but printable ASCII, a quote or a backslash.
    fileprivate static func needsEscapes(_ bytes: Span<UInt8>) -> Bool {
        // Without early exit and branches, so that the compiler can use vector instructions.
        var found: UInt8 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            found |= byte &- 0x20 < 0x5f ? 0 : 1
            found |= byte == UInt8(ascii: "\"") ? 1 : 0
            found |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return found != 0
    }
}

extension [UInt8] {
    /// Appends `text` as a string of JSON, with its quotes.
    package mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        append(jsonText: text.utf8.span)
        append(UInt8(ascii: "\""))
    }

    /// Appends `text` as the inside of a string of JSON; bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Complexity: O(*n*). No copy of an ASCII text is made besides the one that is appended, so the text may be secret; the capacity
    ///   for that is six bytes for each of `text`.
    package mutating func append(jsonText text: Span<UInt8>) {
        // One append of all, because most texts have nothing to escape, and reading Unicode properties is slow.
        guard JSONText.needsEscapes(text) else { return append(copying: text) }
        var place = 0
        while place < text.count {
            if text[place] < 0x80 {
                append(escapingASCII: text[place])
                place += 1
                continue
            }
            var end = place
            while end < text.count, text[end] >= 0x80 { end += 1 }
            let run = String(decoding: [UInt8](copying: text.extracting(place..<end)), as: UTF8.self)
            for scalar in run.unicodeScalars { append(escaping: scalar) }
            place = end
        }
    }

    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            for unit in scalar.utf16 { append(escaped: unit) }
        default: append(contentsOf: scalar.utf8)
        }
    }

    private mutating func append(escapingASCII byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append(UInt8(ascii: "\\"))
            append(byte)
        case 0x08: append(contentsOf: #"\b"#.utf8)
        case 0x09: append(contentsOf: #"\t"#.utf8)
        case 0x0A: append(contentsOf: #"\n"#.utf8)
        case 0x0C: append(contentsOf: #"\f"#.utf8)
        case 0x0D: append(contentsOf: #"\r"#.utf8)
        case 0..<0x20, 0x7F: append(escaped: UInt16(byte))
        default: append(byte)
        }
    }

    private mutating func append(escaped unit: UInt16) {
        append(contentsOf: #"\u"#.utf8)
        Hexadecimal.append([UInt8(unit >> 8), UInt8(unit & 0xFF)].span, to: &self)
    }
}
