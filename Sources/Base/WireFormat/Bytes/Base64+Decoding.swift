extension Base64 {
    /// Decodes the ASCII `text` into `bytes` from `offset` on; padding is required, white space is an error.
    ///
    /// - Returns: the number of bytes written. If it throws, some bytes may have been overwritten.
    /// - Complexity: O(*n*); no allocation.
    /// - Precondition: from `offset` on, `bytes` has three bytes for each four characters.
    package static func decode(
        _ text: Span<UInt8>,
        into bytes: inout [UInt8],
        at offset: Int
    ) throws(Base64Error) -> Int {
        guard text.count % 4 == 0 else { throw .invalidLength(characters: text.count) }
        precondition(
            offset >= 0 && bytes.count - offset >= text.count / 4 * 3,
            "the array is too short for the decoded text"
        )
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
        // Two digits hold one byte and four unused bits, three digits hold two bytes and two unused bits.
        let held = (digits - 4 * groups) * 6
        guard bits & (1 << UInt32(held % 8) - 1) == 0 else { throw .nonCanonicalEnding }
        for place in 0..<held / 8 {
            bytes[offset + 3 * groups + place] = UInt8(truncatingIfNeeded: bits >> UInt32(held - 8 * (place + 1)))
        }
        return 3 * groups + held / 8
    }

    /// Decodes the first `4 * groups` characters; returns whether all are digits.
    ///
    /// The hot loop of a large recording: eight lookups and six bytes a turn, and one check for invalid characters at
    /// the end.
    private static func decode(groups: Int, of text: Span<UInt8>, into bytes: inout [UInt8], at offset: Int) -> Bool {
        guard groups > 0 else { return true }
        var seen: UInt32 = 0
        unsafe places.withUnsafeBufferPointer { places in
            unsafe text.withUnsafeBytes { text in
                unsafe bytes.withUnsafeMutableBytes { bytes in
                    // In bounds: the text has the groups, `decode` checked the space, and each table has 256 entries.
                    var group = 0
                    while group < groups - 2 {
                        let digits = unsafe text.loadUnaligned(fromByteOffset: 4 &* group, as: UInt64.self).littleEndian
                        let (first, second) = unsafe (
                            spelled(UInt32(truncatingIfNeeded: digits), places),
                            spelled(UInt32(truncatingIfNeeded: digits >> 32), places)
                        )
                        seen |= first | second
                        // The store writes eight bytes; the next groups overwrite the last two.
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

    /// The three bytes of four digits, the first in the lowest bits; with the bit ``foreign`` if one is not a digit.
    @inline(__always)
    private static func spelled(_ digits: UInt32, _ places: UnsafeBufferPointer<UInt32>) -> UInt32 {
        assert(places.count == 4 * 256)
        let first = unsafe places[Int(digits & 0xFF)] | places[256 &+ Int(digits >> 8 & 0xFF)]
        return unsafe first | places[512 &+ Int(digits >> 16 & 0xFF)] | places[768 &+ Int(digits >> 24)]
    }

    private static func firstForeign(_ text: Span<UInt8>, _ digits: Int) -> Int {
        (0..<digits).first { value(of: text[$0]) > 63 } ?? 0
    }

    /// The mark of an invalid character: a bit that three bytes do not use.
    private static let foreign: UInt32 = 1 << 31

    /// The bits that a digit contributes to the three bytes, for each of the four positions; ``foreign`` for other
    /// characters.
    private static let places: [UInt32] = (0..<4).flatMap { place in
        (UInt8.min...UInt8.max).map { character in
            let value = UInt32(value(of: character))
            guard value < 64 else { return foreign }
            // 24 bits, most significant byte first in memory.
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
