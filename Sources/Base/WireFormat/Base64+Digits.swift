extension Base64 {
    /// How many digits `count` bytes take, padding included.
    package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Encodes `bytes` into `text`, eight digits in a turn.
    ///
    /// - Precondition: `text` has exactly ``length(of:)`` bytes, none of which is one of `bytes`.
    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        precondition(text.count == length(of: bytes.count))
        var read = 0
        var written = 0
        // A turn takes six bytes, and loads the two behind them as well.
        unsafe pairs.withUnsafeBufferPointer { pairs in
            while bytes.count - read >= 8 {
                // In bounds: eight bytes are left to read, eight digits or more to write; a pair has twelve bits.
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
        // In bounds: the alphabet has 64 characters.
        unsafe alphabet.utf8Start[Int(value & 63)]
    }

    /// The two digits of twelve bits, the first one in the lower byte: half the look-ups of single digits.
    private static let pairs: [UInt16] = (0..<4096).map { bits in
        UInt16(digit(bits >> 6)) | UInt16(digit(bits)) << 8
    }

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}
