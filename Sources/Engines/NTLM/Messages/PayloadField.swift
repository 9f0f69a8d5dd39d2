internal import WireFormat

/// Where the contents of a field stand in the payload.
///
/// ```
/// 0   2       4            8
/// ┌───┬───────┬────────────┐
/// │Len│MaxLen │BufferOffset│   little-endian; the offset counts from the start of the message
/// └───┴───────┴────────────┘
/// ```
struct PayloadField {
    /// Bytes of the descriptor itself.
    static let size = 8

    /// Bytes in the payload; `MaxLen` says the same and is not looked at (MS-NLMP 2.2.1.1: it SHOULD be ignored).
    let length: Int
    /// Where they start.
    let offset: Int

    /// Reads the descriptor at `position`, which the caller knows to lie in `message`, and checks what it claims.
    ///
    /// - Parameter payloadStart: the end of the fixed part; contents that start before it are refused.
    init(
        _ field: MessageField,
        in message: Span<UInt8>,
        at position: Int,
        payloadStart: Int
    ) throws(MessageError) {
        guard let length = littleEndianUInt16(in: message, at: position),
            let offset = littleEndianUInt32(in: message, at: position + 4)
        else { throw .truncated(needed: position + Self.size, available: message.count) }
        self.length = Int(length)
        // Int is 64 bits wide on every platform here, so neither the conversion nor the sum below can overflow.
        self.offset = Int(offset)
        // MS-NLMP 2.2.1: the offset of an empty field means nothing; peers write 0 there, or anything.
        guard self.length == 0 || (self.offset >= payloadStart && self.offset + self.length <= message.count) else {
            throw .payloadOutside(field, offset: self.offset, length: self.length, available: message.count)
        }
    }

    /// Where the contents stand; `0..<0` when there are none.
    var range: Range<Int> { length == 0 ? 0..<0 : offset..<(offset + length) }
}

/// Which bytes of a payload belong to which field: any order and gaps are fine, bytes with two owners are not.
struct PayloadMap {
    private let start: Int
    /// Where the first contents start; the end of the message when no field has any.
    private(set) var lowest: Int
    // Messages have at most six fields; an empty one stands as 0..<0 and meets nobody. Offsets are below 2¹⁷.
    private var starts = SIMD8<Int32>()
    private var ends = SIMD8<Int32>()
    private var count = 0

    /// - Parameter start: the end of the fixed part.
    init(of message: Span<UInt8>, from start: Int) {
        self.start = start
        lowest = message.count
    }

    /// Reads the descriptor at `position`, and says where the contents stand; `0..<0` when there are none.
    mutating func claim(
        _ field: MessageField,
        in message: Span<UInt8>,
        at position: Int
    ) throws(MessageError) -> Range<Int> {
        let contents = try PayloadField(field, in: message, at: position, payloadStart: start)
        guard contents.length > 0 else { return contents.range }
        let first = SIMD8(repeating: Int32(contents.offset))
        let end = SIMD8(repeating: Int32(contents.offset + contents.length))
        guard !any((starts .< end) .& (first .< ends)) else {
            throw .payloadShared(field, offset: contents.offset, length: contents.length)
        }
        starts[count] = first[0]
        ends[count] = end[0]
        count += 1
        lowest = min(lowest, contents.offset)
        return contents.range
    }
}

/// Writes the descriptors of fields while it adds up where their contents will stand.
struct PayloadLayout {
    /// Where the next contents go.
    private(set) var offset: Int

    init(payloadStart: Int) { offset = payloadStart }

    /// Appends the descriptor for `count` bytes to the fixed part of a message.
    mutating func append(_ field: MessageField, count: Int, to message: inout [UInt8]) throws(MessageError) {
        guard count <= NTLMLimits.fieldBytes else {
            throw .fieldTooLong(field, bytes: count, limit: NTLMLimits.fieldBytes)
        }
        message.append(littleEndian: UInt16(count))
        message.append(littleEndian: UInt16(count))
        message.append(littleEndian: UInt32(offset))
        offset += count
        guard offset <= NTLMLimits.messageBytes else {
            throw .tooLong(bytes: offset, limit: NTLMLimits.messageBytes)
        }
    }
}
