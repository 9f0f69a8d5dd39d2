extension [UInt8] {
    /// Appends `bytes[range]` as the inside of a JSON string (RFC 8259 7); bytes that are not UTF-8 become U+FFFD.
    mutating func appendJSONText(_ bytes: [UInt8], _ range: Range<Int>) {
        if Self.needsCare(bytes.span.extracting(range)) {
            append(contentsOf: JSONValue.escaped(String(decoding: bytes[range], as: UTF8.self)).utf8)
        } else {
            append(contentsOf: bytes[range])
        }
    }

    /// Whether there is anything but printable ASCII without quote and backslash.
    private static func needsCare(_ bytes: Span<UInt8>) -> Bool {
        // No byte ends the loop and none takes a branch, so that many are looked at at once.
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
