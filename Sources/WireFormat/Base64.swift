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
    ///
    /// - Complexity: O(*n*); one allocation.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        let characters = length(of: bytes.count)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe String(unsafeUninitializedCapacity: characters) { text in
                // In bounds: room was asked for all digits.
                unsafe encode(
                    bytes,
                    into: UnsafeMutableRawBufferPointer(start: text.baseAddress, count: characters)
                )
                return characters
            }
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

    static let padding = UInt8(ascii: "=")

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
