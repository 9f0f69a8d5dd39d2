/// Why bytes are not the strict DER that is read; every offset counts from the first byte given.
///
/// Each parser says it in its own words.
public enum DERDefect: Error, Equatable, Sendable {
    /// The element at `offset` ends after the bytes that enclose it.
    case truncated(offset: Int, needed: Int, available: Int)
    /// The length at `offset` is the indefinite form of BER.
    case indefiniteLength(offset: Int)
    /// The length at `offset` could have been written in fewer bytes.
    case nonMinimalLength(offset: Int)
    /// The length at `offset` has more than four bytes.
    case oversizedLength(offset: Int, lengthBytes: Int)
    /// The tag at `offset` continues in further bytes.
    case multiByteTag(offset: Int)
    /// The tag at `offset` is not the one that is due.
    case unexpectedTag(offset: Int, expected: UInt8, found: UInt8)
    /// `count` bytes from `offset` on follow the last element.
    case trailingBytes(offset: Int, count: Int)
}
