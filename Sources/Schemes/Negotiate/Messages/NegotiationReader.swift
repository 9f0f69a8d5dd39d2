internal import WireFormat

/// Reads the DER of tokens by a `DERCursor`.
struct NegotiationReader {
    private var cursor: DERCursor

    init(_ range: Range<Int>) { cursor = DERCursor(over: range) }

    /// Where the next element begins.
    var offset: Int { cursor.offset }

    /// Whether the next element has `tag`.
    func isAt(_ tag: UInt8, in bytes: Span<UInt8>) -> Bool { !isAtEnd && bytes[offset] == tag }

    var isAtEnd: Bool { cursor.isAtEnd }

    /// The content of the next element, which must have `tag`.
    mutating func read(_ tag: UInt8, in bytes: Span<UInt8>) throws(NegotiationError) -> Range<Int> {
        do throws(DERDefect) {
            return try cursor.readElement(tag, in: bytes).contents
        } catch { throw NegotiationError(error) }
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
        do throws(DERDefect) { try cursor.finish() } catch { throw NegotiationError(error) }
    }
}

extension NegotiationError {
    fileprivate init(_ defect: DERDefect) {
        self =
            switch defect {
            case .truncated(let offset, _, _): .truncated(offset: offset)
            case .indefiniteLength(let offset), .nonMinimalLength(let offset), .oversizedLength(let offset, _):
                .malformedLength(offset: offset)
            case .multiByteTag(let offset): .malformedValue(offset: offset)
            case .unexpectedTag(let offset, _, let found): .unexpectedElement(tag: found, offset: offset)
            case .trailingBytes(let offset, _): .trailingBytes(offset: offset)
            }
    }
}
