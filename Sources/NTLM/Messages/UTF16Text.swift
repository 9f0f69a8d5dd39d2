internal import WireFormat

/// Names on the wire: UTF-16LE without a byte order mark or a terminator.
enum UTF16Text {
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
