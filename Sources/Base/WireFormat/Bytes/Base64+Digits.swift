extension Base64 {
    /// The number of digits for `count` bytes, including padding.
    package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Encodes `bytes` into `text`, eight digits a turn.
    ///
    /// - Precondition: `text` has exactly ``length(of:)`` bytes and does not overlap `bytes`.
    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        precondition(text.count == length(of: bytes.count))
        var read = 0
        var written = 0
        // A turn encodes six bytes and loads eight.
        unsafe pairs.withUnsafeBufferPointer { pairs in
            while bytes.count - read >= 8 {
                // In bounds: at least eight bytes are left to read and eight digits to write; the table has 4096 pairs.
                let group = unsafe bytes.loadUnaligned(fromByteOffset: read, as: UInt64.self).bigEndian
                var digits = unsafe UInt64(pairs[Int(group >> 52)])
                digits |= unsafe UInt64(pairs[Int(group >> 40 & 4095)]) << 16
                digits |= unsafe UInt64(pairs[Int(group >> 28 & 4095)]) << 32
                digits |= unsafe UInt64(pairs[Int(group >> 16 & 4095)]) << 48
                unsafe text.storeBytes(of: digits.littleEndian, toByteOffset: written, as: UInt64.self)
                read += 6
                written += 8
            }
        }
        while read < bytes.count {
            let left = bytes.count - read
            let second = left > 1 ? unsafe UInt32(bytes[read + 1]) : 0
            let third = left > 2 ? unsafe UInt32(bytes[read + 2]) : 0
            let group = unsafe UInt32(bytes[read]) << 16 | second << 8 | third
            unsafe text[written] = digit(group >> 18)
            unsafe text[written + 1] = digit(group >> 12)
            unsafe text[written + 2] = left > 1 ? digit(group >> 6) : padding
            unsafe text[written + 3] = left > 2 ? digit(group) : padding
            read += 3
            written += 4
        }
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        assert(alphabet.utf8CodeUnitCount == 64)
        // In bounds: the alphabet has 64 characters.
        return unsafe alphabet.utf8Start[Int(value & 63)]
    }

    /// The two digits of twelve bits, the first in the lower byte. Pairs need half as many lookups as single digits.
    private static let pairs: [UInt16] = (0..<4096).map { bits in
        UInt16(digit(bits >> 6)) | UInt16(digit(bits)) << 8
    }

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}
