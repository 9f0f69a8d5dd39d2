/// A path that may be withheld, with what is compared often. Made once for each request.
package struct RequestPath: Equatable, Sendable {
    package let text: String
    /// The bytes up to the last slash, with it (RFC 7617 section 2.2); all without a slash.
    let directoryLength: Int
    /// FNV-1a of the directory.
    let directoryHash: UInt64

    init(_ text: String) {
        self.text = text
        let bytes = text.utf8.span
        var end = bytes.count
        while end > 0, bytes[end - 1] != UInt8(ascii: "/") { end -= 1 }
        directoryLength = end == 0 ? bytes.count : end
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<directoryLength { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        directoryHash = hash
    }

    /// The path to its last slash, with it.
    var directory: String { String(decoding: text.utf8.prefix(directoryLength), as: UTF8.self) }
}

extension RequestPath: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension String {
    /// Whether the bytes start with those of `prefix`.
    func hasBytePrefix(_ prefix: String) -> Bool {
        let (bytes, first) = (utf8.span, prefix.utf8.span)
        guard first.count <= bytes.count else { return false }
        for index in first.indices where bytes[index] != first[index] { return false }
        return true
    }
}
