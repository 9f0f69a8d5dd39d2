/// Reads the elements of DER inside a range of a token, one after another.
///
/// ```
/// ┌─────┬────────┬─────────┐
/// │ tag │ length │ content │   X.690 8.1: the tag has one byte here; the length has one to four
/// └─────┴────────┴─────────┘
/// ```
struct NegotiationReader {
    /// Where the next element begins.
    private(set) var offset: Int
    private let end: Int

    init(_ range: Range<Int>) { (offset, end) = (range.lowerBound, range.upperBound) }

    /// Whether the next element has `tag`.
    func isAt(_ tag: UInt8, in bytes: Span<UInt8>) -> Bool { offset < end && bytes[offset] == tag }

    var isAtEnd: Bool { offset == end }

    /// The content of the next element, which must have `tag`.
    mutating func read(_ tag: UInt8, in bytes: Span<UInt8>) throws(NegotiationError) -> Range<Int> {
        assert(offset <= end && end <= bytes.count)
        guard offset < end else { throw .truncated(offset: offset) }
        guard bytes[offset] == tag else { throw .unexpectedElement(tag: bytes[offset], offset: offset) }
        let start = offset
        guard end - start >= 2 else { throw .truncated(offset: start) }
        var content = start + 2
        var length = Int(bytes[start + 1])
        if length >= 0x80 {
            // X.690 10.1: definite, and in as few bytes as possible. Three bytes hold every length that is read.
            let size = length - 0x80
            guard 1...3 ~= size else { throw .malformedLength(offset: start + 1) }
            guard end - content >= size else { throw .truncated(offset: start) }
            length = 0
            for index in content..<(content + size) { length = length << 8 | Int(bytes[index]) }
            guard length >= 0x80, length >> (8 * (size - 1)) != 0 else { throw .malformedLength(offset: start + 1) }
            content += size
        }
        guard length <= end - content else { throw .truncated(offset: start) }
        offset = content + length
        return content..<offset
    }

    /// The content of the only element inside the next one, which must have the tag `outer`.
    mutating func read(_ outer: UInt8, _ inner: UInt8, in bytes: Span<UInt8>) throws(NegotiationError) -> Range<Int> {
        var inside = NegotiationReader(try read(outer, in: bytes))
        let content = try inside.read(inner, in: bytes)
        try inside.finish()
        return content
    }

    /// The same, or `nil` if the next element has another tag.
    mutating func readIfPresent(
        _ outer: UInt8,
        _ inner: UInt8,
        in bytes: Span<UInt8>
    ) throws(NegotiationError) -> Range<Int>? {
        isAt(outer, in: bytes) ? try read(outer, inner, in: bytes) : nil
    }

    /// Checks that no element is left.
    func finish() throws(NegotiationError) {
        guard isAtEnd else { throw .trailingBytes(offset: offset) }
    }
}
