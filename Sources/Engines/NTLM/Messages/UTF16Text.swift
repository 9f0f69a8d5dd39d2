internal import WireFormat

/// Names in messages: UTF-16LE without byte order mark and terminator.
enum UTF16Text {
    /// The text of UTF-16LE `bytes`, or `nil` if encoding the text again yields other bytes.
    ///
    /// - Complexity: O(*n*); no allocation for up to 15 ASCII characters, one for more.
    static func exactText(_ bytes: Span<UInt8>) -> String? {
        if let text = asciiText(bytes) { return text }
        let text = decoded(bytes)
        return Self.bytes(text) == [UInt8](copying: bytes) ? text : nil
    }

    /// The text of `bytes` for display: ill-formed units become U+FFFD, and an odd last byte is dropped.
    static func text(_ bytes: Span<UInt8>) -> String { asciiText(bytes) ?? decoded(bytes) }

    private static func asciiText(_ bytes: Span<UInt8>) -> String? {
        let units = bytes.count / 2
        guard bytes.count == 2 * units else { return nil }
        for index in 0..<units where bytes[2 * index] >= 0x80 || bytes[2 * index + 1] != 0 { return nil }
        return unsafe String(unsafeUninitializedCapacity: units) { buffer in
            assert(buffer.count >= units && 2 * units <= bytes.count)
            // In bounds: the buffer holds at least `units` bytes, and each ASCII unit is one byte of UTF-8.
            for index in 0..<units { unsafe buffer[index] = bytes[2 * index] }
            return units
        }
    }

    @inline(never)
    private static func decoded(_ bytes: Span<UInt8>) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            units.append(UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The bytes of `text`.
    ///
    /// - Complexity: O(*n*); one allocation.
    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * text.utf16.count)
        append(text, to: &bytes)
        assert(bytes.count == 2 * text.utf16.count, "each unit has two bytes")
        return bytes
    }

    /// Appends the UTF-16LE bytes of `text`, with `mapping` applied to each unit.
    static func append(_ text: String, to bytes: inout [UInt8], mapping: (UInt16) -> UInt16 = { $0 }) {
        func append(_ unit: UInt16) {
            let unit = mapping(unit)
            bytes.append(UInt8(truncatingIfNeeded: unit))
            bytes.append(UInt8(truncatingIfNeeded: unit >> 8))
        }
        // For ASCII text each byte of UTF-8 is one unit, and this loop is several times as fast as `text.utf16`.
        let isDone =
            unsafe text.utf8.withContiguousStorageIfAvailable { characters in
                let isASCII = unsafe characters.allSatisfy { $0 < 0x80 }
                guard isASCII else { return false }
                for index in characters.indices { append(unsafe UInt16(characters[index])) }
                return true
            } ?? false
        if !isDone {
            for unit in text.utf16 { append(unit) }
        }
    }
}
