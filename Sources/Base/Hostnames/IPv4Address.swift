internal import WireFormat

/// An IPv4 address (RFC 791); only the dotted-decimal form is parsed.
package struct IPv4Address: Hashable, Sendable {
    /// The four bytes as one number; the first byte of the text is the most significant.
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Parses `a.b.c.d`: exactly four decimal numbers up to 255 without leading zeros; `nil` for any other text.
    ///
    /// - Precondition: `range` lies inside `bytes`.
    package init?(parsing bytes: Span<UInt8>, in range: Range<Int>) {
        var address: UInt32 = 0
        var number: UInt32 = 0
        var digits = 0
        var dots = 0
        for offset in range {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // Some programs read a number with a leading zero as octal, others as decimal.
                guard digits < 3, digits == 0 || number > 0 else { return nil }
                number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
                digits += 1
                guard number <= 255 else { return nil }
            case UInt8(ascii: "."):
                guard digits > 0, dots < 3 else { return nil }
                address = address << 8 | number
                (number, digits) = (0, 0)
                dots += 1
            default: return nil
            }
        }
        guard dots == 3, digits > 0 else { return nil }
        rawValue = address << 8 | number
    }
}

extension IPv4Address: CustomStringConvertible {
    /// Four decimal numbers with dots between them.
    package var description: String {
        func part(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: rawValue >> UInt32(24 - 8 * index)) }
        var count = 3
        for index in 0..<4 { count += part(index) >= 100 ? 3 : part(index) >= 10 ? 2 : 1 }
        return ByteWriter.text(count: count) { text in
            for index in 0..<4 {
                let part = part(index)
                if index > 0 { text.put(byte: UInt8(ascii: ".")) }
                if part >= 100 { text.put(byte: UInt8(ascii: "0") + part / 100) }
                if part >= 10 { text.put(byte: UInt8(ascii: "0") + part / 10 % 10) }
                text.put(byte: UInt8(ascii: "0") + part % 10)
            }
        }
    }
}
