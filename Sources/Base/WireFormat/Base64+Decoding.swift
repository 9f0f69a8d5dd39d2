extension Base64 {
    /// Writes the bytes that the ASCII `text` spells over those that stand at `offset`: padding required, no white space.
    ///
    /// - Returns: how many bytes were written. When it throws, some of the room may be written over.
    /// - Complexity: O(*n*); no allocation.
    /// - Precondition: `bytes` has room for three bytes for each four characters, from `offset` on.
    package static func decode(
        _ text: Span<UInt8>,
        into bytes: inout [UInt8],
        at offset: Int
    ) throws(Base64Error) -> Int {
        guard text.count % 4 == 0 else { throw .invalidLength(characters: text.count) }
        precondition(offset >= 0 && bytes.count - offset >= text.count / 4 * 3, "no room for what a text spells")
        var digits = text.count
        while digits > 0, text.count - digits < 2, text[digits - 1] == padding { digits -= 1 }
        let groups = digits / 4
        guard decode(groups: groups, of: text, into: &bytes, at: offset) else {
            throw .invalidCharacter(offset: firstForeign(text, digits))
        }
        var bits: UInt32 = 0
        for position in 4 * groups..<digits {
            let value = value(of: text[position])
            guard value < 64 else { throw .invalidCharacter(offset: position) }
            bits = bits << 6 | UInt32(value)
        }
        // Two digits hold a byte and four bits, three hold two bytes and two.
        let held = (digits - 4 * groups) * 6
        guard bits & (1 << UInt32(held % 8) - 1) == 0 else { throw .nonCanonicalEnding }
        for place in 0..<held / 8 {
            bytes[offset + 3 * groups + place] = UInt8(truncatingIfNeeded: bits >> UInt32(held - 8 * (place + 1)))
        }
        return 3 * groups + held / 8
    }

    /// Whether the first `4 * groups` characters are all digits; writes what they spell.
    ///
    /// Nearly all of a large recording goes through this loop: eight look-ups and six bytes to a turn, and one look at what
    /// was no digit in the end.
    private static func decode(groups: Int, of text: Span<UInt8>, into bytes: inout [UInt8], at offset: Int) -> Bool {
        guard groups > 0 else { return true }
        var seen: UInt32 = 0
        unsafe places.withUnsafeBufferPointer { places in
            unsafe text.withUnsafeBytes { text in
                unsafe bytes.withUnsafeMutableBytes { bytes in
                    // In bounds: the text has the groups, `decode` made sure of the room, and a byte has 256 values.
                    var group = 0
                    while group < groups - 2 {
                        let digits = unsafe text.loadUnaligned(fromByteOffset: 4 &* group, as: UInt64.self).littleEndian
                        let (first, second) = unsafe (
                            spelled(UInt32(truncatingIfNeeded: digits), places),
                            spelled(UInt32(truncatingIfNeeded: digits >> 32), places)
                        )
                        seen |= first | second
                        // The last two bytes are written over by the next groups, for which there is room.
                        let six = (UInt64(second) << 24 | UInt64(first & 0xFF_FFFF)).littleEndian
                        unsafe bytes.storeBytes(of: six, toByteOffset: offset &+ 3 &* group, as: UInt64.self)
                        group += 2
                    }
                    while group < groups {
                        let digits = unsafe text.loadUnaligned(fromByteOffset: 4 * group, as: UInt32.self).littleEndian
                        let value = unsafe spelled(digits, places)
                        seen |= value
                        for index in 0..<3 {
                            let byte = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
                            unsafe bytes[offset + 3 * group + index] = byte
                        }
                        group += 1
                    }
                }
            }
        }
        return seen & foreign == 0
    }

    /// The three bytes of four digits, the first in the lowest bits, and ``foreign`` when one of them is none.
    @inline(__always)
    private static func spelled(_ digits: UInt32, _ places: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let first = unsafe places[Int(digits & 0xFF)] | places[256 &+ Int(digits >> 8 & 0xFF)]
        return unsafe first | places[512 &+ Int(digits >> 16 & 0xFF)] | places[768 &+ Int(digits >> 24)]
    }

    private static func firstForeign(_ text: Span<UInt8>, _ digits: Int) -> Int {
        (0..<digits).first { value(of: text[$0]) > 63 } ?? 0
    }

    /// A bit that three bytes leave free.
    private static let foreign: UInt32 = 1 << 31

    /// What a digit adds to the three bytes, for each of its four places in a group; ``foreign`` for other characters.
    private static let places: [UInt32] = (0..<4).flatMap { place in
        (UInt8.min...UInt8.max).map { character in
            let value = UInt32(value(of: character))
            guard value < 64 else { return foreign }
            // Twenty-four bits, most significant first, as bytes in the order of memory.
            return (value << UInt32(8 + 18 - 6 * place)).byteSwapped
        }
    }

    /// The value of a digit, or 255 outside the alphabet.
    private static func value(of character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: 255
        }
    }
}
