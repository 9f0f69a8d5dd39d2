/// Why a text is not the hexadecimal form of a byte sequence.
public enum HexadecimalError: Error, Equatable, Sendable {
    /// The text has an odd number of digits; a byte takes two.
    case oddLength(digits: Int)
    /// The UTF-8 byte at `offset` is none of `0-9 a-f A-F`.
    case invalidDigit(offset: Int)
}

extension HexadecimalError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .oddLength(let digits): "\(digits) hexadecimal digits: a byte takes two, so one is missing or too many"
        case .invalidDigit(let offset): "offset \(offset) is no hexadecimal digit: write only 0-9 and a-f"
        }
    }
}

/// Base16 (RFC 4648 section 8): two digits a byte, lower case out, either case in.
package enum Hexadecimal {
    /// Returns two lower-case digits for each byte of `bytes`.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends two lower-case digits for each byte of `bytes`, as ASCII, to `text`.
    ///
    /// - Complexity: O(*n*); no allocation where `text` has room.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        for index in bytes.indices {
            text.append(digit(bytes[index] >> 4))
            text.append(digit(bytes[index] & 15))
        }
    }

    /// Returns the bytes that `text` spells; no prefix, no spaces.
    package static func decode(_ text: some StringProtocol) throws(HexadecimalError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        var offset = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { throw .invalidDigit(offset: offset) }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
            offset += 1
        }
        guard high == nil else { throw .oddLength(digits: offset) }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The value of one hexadecimal digit, or `nil` for any other byte.
    @inlinable
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
