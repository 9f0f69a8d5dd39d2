/// Classes of bytes (RFC 9110 section 5.6.2, RFC 3986 section 2).
extension UInt8 {
    @inlinable @inline(__always) package var isDigit: Bool { self &- 0x30 < 10 }
    @inlinable @inline(__always) package var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// A byte of a field value: visible, space, tab, or not ASCII.
    @inlinable @inline(__always) package var isFieldByte: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }
    /// A byte of a request target: visible ASCII, without a fragment.
    @inlinable @inline(__always) package var isTargetByte: Bool { self &- 0x21 < 0x5E && self != UInt8(ascii: "#") }
    @inlinable @inline(__always) package var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    @inlinable @inline(__always) package var hexadecimalValue: Int? {
        let folded = self | 0x20
        if isDigit { return Int(self &- 0x30) }
        return folded &- 0x61 < 6 ? Int(folded &- 0x61) + 10 : nil
    }

    /// A byte of a token.
    @inlinable @inline(__always) package var isToken: Bool {
        let table: (UInt64, UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
        if self < 64 { return table.0 >> UInt64(self) & 1 == 1 }
        return self < 128 && table.1 >> UInt64(self &- 64) & 1 == 1
    }
}

extension Span<UInt8> {
    /// Whether `range` is `text` in any case; `text` is lower case.
    @inlinable @inline(__always) package func equals(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        // In bounds: the lengths are equal.
        var letter = unsafe text.utf8Start
        for index in range {
            guard self[index].lowercased == (unsafe letter.pointee) else { return false }
            unsafe letter += 1
        }
        return true
    }

    /// Whether `range` begins with `text` in any case; `text` is lower case.
    @inlinable package func begins(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.count >= text.utf8CodeUnitCount
            && equals(text, in: range.lowerBound..<range.lowerBound &+ text.utf8CodeUnitCount)
    }

    /// `range` without blanks at both ends.
    @inlinable @inline(__always) package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start &+= 1 }
        while end > start, self[end &- 1].isBlank { end &-= 1 }
        return start..<end
    }

    /// Calls `body` with each element of the comma-separated list in `range`.
    @inlinable package func forEachElement(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        for index in range where self[index] == UInt8(ascii: ",") {
            body(trimmed(start..<index))
            start = index &+ 1
        }
        body(trimmed(start..<range.upperBound))
    }
}
