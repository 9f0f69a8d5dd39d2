internal import WireFormat

/// Sizes of elements of DER.
enum DERSize {
    /// Bytes of an element with `content` bytes of content.
    static func element(_ content: Int) -> Int { content < 0x80 ? 2 + content : 2 + lengthBytes(content) + content }

    /// Bytes behind the first one of a long length.
    static func lengthBytes(_ content: Int) -> Int { content < 0x100 ? 1 : content < 0x1_0000 ? 2 : 3 }
}

extension ByteWriter {
    /// Writes tag and length of an element.
    mutating func put(tag: UInt8, count: Int) {
        put(byte: tag)
        guard count >= 0x80 else { return put(byte: UInt8(count)) }
        let size = DERSize.lengthBytes(count)
        put(byte: 0x80 | UInt8(size))
        for index in (0..<size).reversed() { put(byte: UInt8(truncatingIfNeeded: count >> (8 * index))) }
    }

    /// Writes `content` as the only element inside an element with the tag `outer`.
    mutating func put(_ outer: UInt8, _ inner: UInt8, _ content: Span<UInt8>) {
        put(tag: outer, count: DERSize.element(content.count))
        put(tag: inner, count: content.count)
        put(content)
    }
}
