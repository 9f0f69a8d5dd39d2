internal import WireFormat

/// A path that may be withheld, with what is compared often. Made once for each request.
package struct RequestPath: Sendable {
    /// Begins with the path.
    private let source: String
    private let length: Int
    /// The bytes up to the last slash, with it (RFC 7617 section 2.2); all without a slash.
    let directoryLength: Int
    /// A hash of the directory.
    let directoryHash: UInt64

    init(_ text: String) { self.init(text, length: text.utf8.count) }

    /// The part of `target` before its query, without a copy.
    init(beforeQueryOf target: String) {
        let bytes = target.utf8.span
        self.init(target, length: bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count)
    }

    private init(_ source: String, length: Int) {
        (self.source, self.length) = (source, length)
        let bytes = source.utf8.span
        var end = length
        while end > 0, bytes[end - 1] != UInt8(ascii: "/") { end -= 1 }
        directoryLength = end == 0 ? length : end
        directoryHash = Self.hash(bytes, count: directoryLength)
    }

    /// A hash of the first bytes, eight in a turn: byte by byte it was an eighth of an answer in advance.
    private static func hash(_ bytes: Span<UInt8>, count: Int) -> UInt64 {
        var (hash, index) = (UInt64(truncatingIfNeeded: count), 0)
        func mixed(_ word: UInt64) -> UInt64 {
            let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            return product ^ product >> 32
        }
        while index + 8 <= count, let word = littleEndianUInt64(in: bytes, at: index) {
            hash = mixed(word)
            index += 8
        }
        var rest: UInt64 = 0
        while index < count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        return mixed(rest)
    }

    /// The path.
    package var text: String { length == source.utf8.count ? source : begin(length) }

    /// The path to its last slash, with it.
    var directory: String { begin(directoryLength) }

    /// Whether the path starts with the bytes of `prefix`.
    func hasBytePrefix(_ prefix: String) -> Bool { prefix.utf8.count <= length && source.hasBytePrefix(prefix) }

    private func begin(_ length: Int) -> String { String(decoding: source.utf8.prefix(length), as: UTF8.self) }
}

extension RequestPath: Equatable {
    package static func == (left: RequestPath, right: RequestPath) -> Bool {
        left.directoryHash == right.directoryHash && left.text == right.text
    }
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
