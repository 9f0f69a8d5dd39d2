/// Why a text is not the base64 form of a byte sequence.
public enum Base64Error: Error, Equatable, Sendable {
    /// The length is no multiple of four; padding is not optional here.
    case invalidLength(characters: Int)
    /// The byte at `offset` is outside the alphabet, or padding stands before the end.
    case invalidCharacter(offset: Int)
    /// The last digit carries bits that no byte takes, so another text would spell the same bytes.
    case nonCanonicalEnding
}

extension Base64Error: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .invalidLength(let characters):
            "base64 of \(characters) characters: the length must be a multiple of four, '=' included"
        case .invalidCharacter(let offset):
            "offset \(offset) is outside the base64 alphabet: use A-Z a-z 0-9 + / and '=' only at the end"
        case .nonCanonicalEnding: "the last base64 digit has stray bits: encode the bytes again"
        }
    }
}

/// Base64 (RFC 4648 section 4), strict in both directions: one text for one byte sequence.
package enum Base64 {
    /// Returns the padded base64 text of `bytes`.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the padded base64 text of `bytes`, as ASCII, to `text`.
    ///
    /// - Complexity: O(*n*); at most one allocation, when `text` must grow.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let second = left > 1 ? UInt32(bytes[index + 1]) : 0
            let third = left > 2 ? UInt32(bytes[index + 2]) : 0
            let group = UInt32(bytes[index]) << 16 | second << 8 | third
            text.append(digit(group >> 18))
            text.append(digit(group >> 12 & 63))
            text.append(left > 1 ? digit(group >> 6 & 63) : padding)
            text.append(left > 2 ? digit(group & 63) : padding)
            index += 3
        }
    }

    /// Returns the bytes that `text` spells: padding required, no white space.
    package static func decode(_ text: some StringProtocol) throws(Base64Error) -> [UInt8] {
        try decode([UInt8](text.utf8).span)
    }

    /// Returns the bytes that the ASCII `text` spells: padding required, no white space.
    package static func decode(_ text: Span<UInt8>) throws(Base64Error) -> [UInt8] {
        guard text.count % 4 == 0 else { throw .invalidLength(characters: text.count) }
        var digits = text.count
        while digits > 0, text.count - digits < 2, text[digits - 1] == padding { digits -= 1 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits * 3 / 4)
        var bits: UInt32 = 0
        var held = 0
        for offset in 0..<digits {
            guard let value = value(of: text[offset]) else { throw .invalidCharacter(offset: offset) }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        guard bits & (1 << UInt32(held) - 1) == 0 else { throw .nonCanonicalEnding }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")

    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
