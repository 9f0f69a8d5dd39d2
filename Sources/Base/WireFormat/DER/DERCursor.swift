/// Reads one element after the other inside a range of bytes, by the rules of DER (X.690 section 10.1).
///
/// ```
/// tag    1 byte   the low five bits are never all set (that would announce more tag bytes)
/// length 1 byte   00…7F: the length itself
///        2…5      8n, then n = 1…4 bytes, most significant first, in the fewest bytes that hold it
/// contents        as many bytes as the length says, all of them inside the range
/// ```
///
/// It holds offsets only, so the caller passes the same bytes with each call. It does not allocate and does not recurse:
/// to go into an element is to make another cursor over its contents.
///
/// It and its results are public, so that the compiler inlines its functions in the targets that read certificates and tokens. Functions with package
/// access were called there, and a certificate took twice the instructions. Each of these targets has a reader around it, with errors in its own words.
public struct DERCursor: Sendable {
    /// The most bytes a length may have behind its first one.
    @inlinable public static var mostLengthBytes: Int { 4 }

    @usableFromInline var position: Int
    @usableFromInline let end: Int

    /// Reads the elements in `range`, which lies inside the bytes that will be passed along.
    @inlinable @inline(__always)
    public init(over range: Range<Int>) {
        assert(range.lowerBound >= 0)
        position = range.lowerBound
        end = range.upperBound
    }

    /// Offset of the element that is read next.
    @inlinable public var offset: Int { position }

    /// Whether every byte has been read.
    @inlinable public var isAtEnd: Bool { position == end }

    // Inlined, like the functions below, because a walk has a dozen calls and each would return its result in memory. Picking the
    // form of a length without a branch was slower, because branch prediction hides the wait for the length.

    /// Reads the next element, whatever its tag, and moves behind it.
    @inlinable @inline(__always)
    public mutating func readElement(in bytes: Span<UInt8>) throws(DERDefect) -> DERElement {
        let start = offset
        assert(end <= bytes.count, "the range lies inside the bytes")
        guard end &- start >= 2 else { throw .truncated(offset: start, needed: 2, available: end - start) }
        let tag = bytes[start]
        guard tag & 0x1F != 0x1F else { throw .multiByteTag(offset: start) }
        var contentsStart = start &+ 2
        var length = Int(bytes[start &+ 1])
        if length >= 0x80 {
            // Nearly every long length of a certificate has two bytes; the others may cost a call.
            if length == 0x82, end &- start >= 4, bytes[start &+ 2] != 0 {
                length = Int(bytes[start &+ 2]) &<< 8 | Int(bytes[start &+ 3])
                contentsStart = start &+ 4
            } else {
                contentsStart = contentsStart &+ (length & 0x7F)
                length = try readLongLength(in: bytes, at: start &+ 1)
            }
        }
        // No sum can overflow: a length has 32 bits at most, and must end inside the range.
        guard length <= end &- contentsStart else {
            throw .truncated(offset: start, needed: contentsStart - start + length, available: end - start)
        }
        position = contentsStart &+ length
        assert(offset <= end && contentsStart > start)
        return DERElement(tag: tag, start: start, contents: contentsStart..<offset)
    }

    /// Reads the next element, which must have this tag.
    @inlinable @inline(__always)
    public mutating func readElement(_ tag: UInt8, in bytes: Span<UInt8>) throws(DERDefect) -> DERElement {
        // The tag is checked before the length, because a wrong tag explains more than a wrong length.
        if offset < end, bytes[offset] != tag {
            throw .unexpectedTag(offset: offset, expected: tag, found: bytes[offset])
        }
        return try readElement(in: bytes)
    }

    /// Reads the next element if it has this tag; otherwise stays where it is.
    @inlinable @inline(__always)
    public mutating func readElement(
        ifTag tag: UInt8,
        in bytes: Span<UInt8>
    ) throws(DERDefect) -> DERElement? {
        guard offset < end, bytes[offset] == tag else { return nil }
        return try readElement(in: bytes)
    }

    /// Throws unless every byte has been read.
    @inlinable @inline(__always)
    public func finish() throws(DERDefect) {
        guard isAtEnd else { throw .trailingBytes(offset: offset, count: end - offset) }
    }

    @usableFromInline @inline(never)
    func readLongLength(in bytes: Span<UInt8>, at position: Int) throws(DERDefect) -> Int {
        assert(position >= 0 && position < end)
        let count = Int(bytes[position] & 0x7F)
        guard count > 0 else { throw .indefiniteLength(offset: position) }
        guard count <= Self.mostLengthBytes else { throw .oversizedLength(offset: position, lengthBytes: count) }
        guard end - position > count else {
            throw .truncated(offset: position, needed: count + 1, available: end - position)
        }
        // Four bytes fit an Int on every platform that Swift's 64-bit Int serves; the sum cannot overflow.
        var length = 0
        for index in 1...count { length = length << 8 | Int(bytes[position + index]) }
        guard length >= 0x80, bytes[position + 1] != 0 else { throw .nonMinimalLength(offset: position) }
        return length
    }
}
