extension [UInt8] {
    /// Appends `bytes[range]` as the inside of a JSON string (RFC 8259 7); bytes that are not UTF-8 become U+FFFD.
    mutating func appendJSONText(_ bytes: [UInt8], _ range: Range<Int>) {
        if Self.needsCare(bytes.span.extracting(range)) {
            append(contentsOf: JSONValue.escaped(String(decoding: bytes[range], as: UTF8.self)).utf8)
        } else {
            append(contentsOf: bytes[range])
        }
    }

    /// Whether a byte needs escaping: anything but printable ASCII, a quote or a backslash.
    private static func needsCare(_ bytes: Span<UInt8>) -> Bool {
        // Without early exit and branches, so that the compiler can use vector instructions.
        var found: UInt8 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            found |= byte &- 0x20 < 0x5f ? 0 : 1
            found |= byte == UInt8(ascii: "\"") ? 1 : 0
            found |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return found != 0
    }
}
