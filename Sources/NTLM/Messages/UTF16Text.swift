internal import WireFormat

/// Names on the wire: UTF-16LE without a byte order mark or a terminator.
enum UTF16Text {
    /// The text of UTF-16LE `bytes`, or `nil` when it would not give the same bytes back.
    ///
    /// - Complexity: O(*n*); no allocation for up to 15 ASCII characters, one for more.
    static func exactText(_ bytes: Span<UInt8>) -> String? {
        let units = bytes.count / 2
        let isASCII = (0..<units).allSatisfy { bytes[2 * $0] < 0x80 && bytes[2 * $0 + 1] == 0 }
        guard isASCII, bytes.count == 2 * units else {
            let copy = [UInt8](copying: bytes)
            let text = text(copy)
            return Self.bytes(text) == copy ? text : nil
        }
        return unsafe String(unsafeUninitializedCapacity: units) { buffer in
            // In bounds: room was asked for as many units as are written, each of them one byte of UTF-8.
            for index in 0..<units { unsafe buffer[index] = bytes[2 * index] }
            return units
        }
    }

    /// The bytes of `text`.
    ///
    /// - Complexity: O(*n*); one allocation.
    static func bytes(_ text: String) -> [UInt8] {
        let units = text.utf16
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * units.count)
        append(units, to: &bytes)
        return bytes
    }

    static func append(_ units: some Sequence<UInt16>, to bytes: inout [UInt8]) {
        for unit in units {
            bytes.append(UInt8(truncatingIfNeeded: unit))
            bytes.append(UInt8(truncatingIfNeeded: unit >> 8))
        }
    }

    /// The text of `bytes`, for people to read: what is no UTF-16 becomes U+FFFD, an odd last byte is left out.
    static func text(_ bytes: [UInt8]) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            units.append(UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
        }
        return String(decoding: units, as: UTF16.self)
    }
}
