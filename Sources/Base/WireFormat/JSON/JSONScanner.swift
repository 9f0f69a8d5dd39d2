/// Reads a JSON text (RFC 8259) from place to place: the one scanner of this package.
///
/// It stores a place and takes the bytes with each call. A function that returns `nil` or `false` has read nothing but space, so
/// its caller can look for something else. A function that throws names the line. `JSONScanner+Values` has the functions that check
/// a whole value.
///
/// The type is public although no product exports it, for the reason that ``ByteWriter`` gives: recordings have millions of lines.
public struct JSONScanner: Sendable {
    /// The place of the next byte.
    @usableFromInline package var position: Int

    /// Starts at a place.
    @inlinable
    package init(at position: Int = 0) { self.position = position }

    /// Starts at the first byte of a text, or behind a byte order mark, which a reader may ignore (section 8.1).
    package init(startOf bytes: Span<UInt8>) {
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        position = hasMark ? 3 : 0
    }

    // MARK: - Space, characters and words

    /// Steps over space (section 2).
    @inlinable @inline(__always)
    package mutating func skipSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count, Self.isSpace(bytes[position]) { position &+= 1 }
    }

    @inlinable @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    /// Steps over space and `byte`: whether it stood there.
    @inlinable @inline(__always)
    package mutating func skip(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        skipSpace(bytes)
        guard position < bytes.count, bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Steps over space and `null`: whether it stood there.
    @inlinable @inline(__always)
    package mutating func null(_ bytes: Span<UInt8>) -> Bool {
        skipSpace(bytes)
        // The letters of "null", the first in the lowest bits.
        guard littleEndianUInt32(in: bytes, at: position) == 0x6C6C_756E else { return false }
        position &+= 4
        return true
    }

    /// Steps over space and `true` or `false`, and returns the value; `nil` for anything else.
    @inlinable @inline(__always)
    package mutating func boolean(_ bytes: Span<UInt8>) -> Bool? {
        skipSpace(bytes)
        // The letters of "true" and of "alse", the first in the lowest bits.
        if littleEndianUInt32(in: bytes, at: position) == 0x6575_7274 {
            position &+= 4
            return true
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "f"),
            littleEndianUInt32(in: bytes, at: position &+ 1) == 0x6573_6C61
        else { return nil }
        position &+= 5
        return false
    }

    /// Steps over space and a whole number of at most 15 digits, without a sign, and returns it; `nil` for anything else.
    @inlinable
    package mutating func wholeNumber(_ bytes: Span<UInt8>) -> Int? {
        skipSpace(bytes)
        var end = position
        var value = 0
        while end < bytes.count, end &- position < 15, bytes[end] &- UInt8(ascii: "0") < 10 {
            value = value &* 10 &+ Int(bytes[end] &- UInt8(ascii: "0"))
            end &+= 1
        }
        guard end > position, bytes[position] != UInt8(ascii: "0") || end == position &+ 1,
            end == bytes.count || !Self.continuesNumber(bytes[end])
        else { return nil }
        position = end
        return value
    }

    @inlinable
    static func continuesNumber(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: ".")
    }

    // MARK: - Strings without escapes

    /// Steps over space and a string, and returns the place of the bytes between its quotes; `nil` for a string with a backslash, for
    /// one that is malformed, and for anything else.
    ///
    /// The caller checks that the bytes are UTF-8, because a reader of texts that repeat checks each of them once.
    @inlinable
    package mutating func plainText(_ bytes: Span<UInt8>) -> Range<Int>? {
        skipSpace(bytes)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let end = Self.endOfPlainText(bytes, from: position &+ 1)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
        let text = position &+ 1..<end
        position = end &+ 1
        return text
    }

    /// The same for a string of `count` bytes, of which only the quotes are looked at: for texts whose reader judges each byte, such
    /// as hashes and times.
    @inlinable @inline(__always)
    package mutating func plainText(_ bytes: Span<UInt8>, count: Int) -> Range<Int>? {
        skipSpace(bytes)
        let end = position &+ 1 &+ count
        guard end < bytes.count, bytes[position] == UInt8(ascii: "\""), bytes[end] == UInt8(ascii: "\"") else {
            return nil
        }
        let text = position &+ 1..<end
        position = end &+ 1
        return text
    }

    /// The first quote, backslash or control character at or after `start`, or the end of the bytes.
    @inlinable
    static func endOfPlainText(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let (top, each): (UInt64, UInt64) = (0x8080_8080_8080_8080, 0x0101_0101_0101_0101)
        var end = start
        // Eight bytes in a turn: the lowest bit that a subtraction sets is in the first byte that is looked for.
        while let word = littleEndianUInt64(in: bytes, at: end) {
            let (quote, escape) = (word ^ each &* 0x22, word ^ each &* 0x5C)
            let found =
                (quote &- each) & ~quote | (escape &- each) & ~escape | (word &- each &* 0x20) & ~word
            if found & top != 0 { return end &+ (found & top).trailingZeroBitCount / 8 }
            end &+= 8
        }
        while end < bytes.count, bytes[end] != 0x22, bytes[end] != 0x5C, bytes[end] >= 0x20 { end &+= 1 }
        return end
    }
}
