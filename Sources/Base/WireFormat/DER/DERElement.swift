/// The offsets of one DER element: a header of tag and length, then its contents.
public struct DERElement: Equatable, Sendable {
    /// The identifier byte: class, primitive or constructed, number.
    public let tag: UInt8
    /// Offset of the identifier byte.
    public let start: Int
    /// The bytes after the length.
    public let contents: Range<Int>

    @inlinable @inline(__always)
    init(tag: UInt8, start: Int, contents: Range<Int>) {
        (self.tag, self.start, self.contents) = (tag, start, contents)
    }

    /// Header and contents.
    @inlinable @inline(__always)
    public var range: Range<Int> { start..<contents.upperBound }
}
