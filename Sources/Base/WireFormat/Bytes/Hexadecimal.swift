/// Why a text is not hexadecimal.
public enum HexadecimalError: Error, Equatable, Sendable {
    /// The text has an odd number of digits; a byte takes two.
    case oddLength(digits: Int)
    /// The UTF-8 byte at `offset` is not one of `0-9 a-f A-F`.
    case invalidDigit(offset: Int)
}

extension HexadecimalError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String {
        switch self {
        case .oddLength(let digits): "\(digits) hexadecimal digits: a byte needs two, so add or remove one"
        case .invalidDigit(let offset): "offset \(offset) is not a hexadecimal digit: write only 0-9 and a-f"
        }
    }
}

/// Base16 (RFC 4648 section 8): two digits a byte. Encodes in lower case, decodes both cases.
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
    /// - Complexity: O(*n*); no allocation if `text` has capacity.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        for index in bytes.indices {
            text.append(digit(bytes[index] >> 4))
            text.append(digit(bytes[index] & 15))
        }
    }

    /// Decodes `text`; prefixes and spaces are errors.
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
    /// The four bytes of eight digits, the first in the lowest bits, or `nil` if one is not a digit.
    ///
    /// - Parameter digits: eight characters, the first in the lowest bits.
    @inlinable @inline(__always)
    package static func fourBytes(of digits: UInt64) -> UInt32? {
        // Eight additions at once. None carries into the next byte, because each sum is below 256.
        let top: UInt64 = 0x8080_8080_8080_8080
        let each: UInt64 = 0x0101_0101_0101_0101
        guard digits & top == 0 else { return nil }
        // Only a decimal digit becomes 0...9, and only a letter a-f of either case becomes 1...6.
        let decimal = digits ^ (each &* 0x30)
        let letter = (digits | (each &* 0x20)) ^ (each &* 0x60)
        let isDecimal = ~(decimal &+ (each &* 0x76)) & top
        let isLetter = (letter &+ (each &* 0x7F)) & ~(letter &+ (each &* 0x79)) & top
        guard isDecimal | isLetter == top else { return nil }
        let values = (digits & (each &* 0x0F)) &+ (isLetter >> 7) &* 9
        // Neighbours are combined, the first in the upper half of the byte. Then the bytes are moved together.
        let pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: fours | fours >> 16)
    }
}
