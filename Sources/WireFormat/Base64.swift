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
        var bytes = [UInt8](repeating: 0, count: digits * 3 / 4)
        // Most certificates of a large recording are decoded here: four digits at a time, and one look at all of them.
        let values = Self.values
        let groups = digits / 4
        var seen: UInt8 = 0
        for group in 0..<groups {
            let (offset, place) = (4 &* group, 3 &* group)
            let (first, second) = (values[Int(text[offset])], values[Int(text[offset &+ 1])])
            let (third, fourth) = (values[Int(text[offset &+ 2])], values[Int(text[offset &+ 3])])
            seen |= first | second | third | fourth
            bytes[place] = first << 2 | second >> 4
            bytes[place &+ 1] = second << 4 | third >> 2
            bytes[place &+ 2] = third << 6 | fourth
        }
        var bits: UInt32 = 0
        for offset in 4 * groups..<digits {
            seen |= values[Int(text[offset])]
            bits = bits << 6 | UInt32(values[Int(text[offset])] & 63)
        }
        guard seen < 64 else {
            throw .invalidCharacter(offset: (0..<digits).first { values[Int(text[$0])] == invalid } ?? 0)
        }
        // Two digits hold a byte and four bits, three hold two bytes and two.
        let held = (digits - 4 * groups) * 6
        guard bits & (1 << UInt32(held % 8) - 1) == 0 else { throw .nonCanonicalEnding }
        for place in 0..<held / 8 {
            bytes[3 * groups + place] = UInt8(truncatingIfNeeded: bits >> UInt32(held - 8 * (place + 1)))
        }
        return bytes
    }

    static let padding = UInt8(ascii: "=")

    /// What a value never has: one of a digit is below 64.
    private static let invalid: UInt8 = 0xFF

    /// The value of each character; ``invalid`` outside the alphabet.
    private static let values = (UInt8.min...UInt8.max).map { character in
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): UInt8(62)
        case UInt8(ascii: "/"): UInt8(63)
        default: invalid
        }
    }
}
