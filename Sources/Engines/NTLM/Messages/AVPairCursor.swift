internal import WireFormat

/// Reads the attributes of a message one after the other, without a copy.
struct AVPairCursor {
    /// Where the list starts; the offsets in errors count from here.
    private let start: Int
    private let end: Int
    private var offset: Int

    /// Starts at the first attribute of `range`.
    init(_ range: Range<Int>) {
        assert(range.lowerBound >= 0)
        start = range.lowerBound
        end = range.upperBound
        offset = range.lowerBound
    }

    /// Returns the number of the next attribute and the range of its value in `message`; `nil` at `MsvAvEOL`.
    ///
    /// Bytes after `MsvAvEOL` are not read, because other fields may follow it.
    mutating func next(in message: Span<UInt8>) throws(MessageError) -> (id: AVPair.ID, value: Range<Int>)? {
        let available = end - offset
        assert(start <= offset && offset <= end, "the cursor never leaves its range")
        guard available >= 2, let id = littleEndianUInt16(in: message, at: offset) else { throw .avPairsUnterminated }
        guard available >= AVPair.headerSize, let length = littleEndianUInt16(in: message, at: offset + 2) else {
            throw .avPairTruncated(offset: offset - start, needed: AVPair.headerSize, available: available)
        }
        let count = Int(length)
        if id == AVPair.ID.eol.rawValue {
            guard count == 0 else { throw .avPairLength(id: id, expected: 0, found: count) }
            return nil
        }
        guard AVPair.headerSize + count <= available else {
            throw .avPairTruncated(offset: offset - start, needed: AVPair.headerSize + count, available: available)
        }
        let value = (offset + AVPair.headerSize)..<(offset + AVPair.headerSize + count)
        assert(value.upperBound <= end && end <= message.count)
        offset = value.upperBound
        return (AVPair.ID(rawValue: id), value)
    }
}
