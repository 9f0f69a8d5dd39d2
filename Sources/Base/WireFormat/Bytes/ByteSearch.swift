extension Span<UInt8> {
    /// The first `byte` at or after `start`; eight bytes at a time.
    @inlinable package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        firstIndex(of: byte, from: start, to: count)
    }

    /// The same before `end`.
    @inlinable package func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        precondition(start >= 0 && end <= count)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let wanted = ones &* UInt64(byte)
        var index = start
        while index &+ 8 <= end {
            // In bounds: the end is. A byte of the difference is zero where the wanted one is, and its highest bit is set then.
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            let difference = word.littleEndian ^ wanted
            let zeros = (difference &- ones) & ~difference & (ones << 7)
            // Bits above the lowest one may be set by a borrow.
            if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < end {
            if self[index] == byte { return index }
            index &+= 1
        }
        return nil
    }
}
