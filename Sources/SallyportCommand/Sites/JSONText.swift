extension [UInt8] {
    /// Appends `bytes[range]` as the inside of a JSON string (RFC 8259 7); what is not UTF-8 becomes U+FFFD.
    mutating func appendJSONText(_ bytes: [UInt8], _ range: Range<Int>) {
        var isPlain = true
        for offset in range where Self.needsCare(bytes[offset]) {
            isPlain = false
            break
        }
        if isPlain {
            append(contentsOf: bytes[range])
        } else {
            append(contentsOf: JSONValue.escaped(String(decoding: bytes[range], as: UTF8.self)).utf8)
        }
    }

    private static func needsCare(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
