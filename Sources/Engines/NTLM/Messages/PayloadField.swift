internal import WireFormat

/// The descriptor of a field: length and offset of its contents in the payload.
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

    /// Bytes in the payload. `MaxLen` repeats the length and is ignored (MS-NLMP 2.2.1.1: it SHOULD be ignored).
    let length: Int
    /// Offset of the first byte, from the start of the message.
    let offset: Int

    /// Reads the descriptor at `position` and checks that its contents lie inside the payload.
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
        // Int has 64 bits on every supported platform, so the conversion and the sum below cannot overflow.
        self.offset = Int(offset)
        // MS-NLMP 2.2.1: the offset of an empty field has no meaning; some peers write 0, others any number.
        guard self.length == 0 || (self.offset >= payloadStart && self.offset + self.length <= message.count) else {
            throw .payloadOutside(field, offset: self.offset, length: self.length, available: message.count)
        }
    }

    /// Range of the contents in the message; `0..<0` for an empty field.
    var range: Range<Int> { length == 0 ? 0..<0 : offset..<(offset + length) }
}

/// Checks that the fields of a message do not overlap. Any order and gaps between fields are allowed.
struct PayloadMap {
    private let start: Int
    /// Offset of the first payload byte that a field uses; the end of the message if all fields are empty.
    private(set) var lowest: Int
    // One lane for each field that is not empty; a message has at most six fields. Offsets are below 2¹⁷.
    private var starts = SIMD8<Int32>()
    private var ends = SIMD8<Int32>()
    private var count = 0

    /// - Parameter start: the end of the fixed part.
    init(of message: Span<UInt8>, from start: Int) {
        assert(start <= message.count, "the caller checked that the fixed part is complete")
        self.start = start
        lowest = message.count
    }

    /// Reads the descriptor at `position` and returns the range of the contents; `0..<0` for an empty field.
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
        assert(count < starts.scalarCount)
        assert(contents.offset >= start && contents.offset + contents.length <= message.count)
        starts[count] = first[0]
        ends[count] = end[0]
        count += 1
        lowest = min(lowest, contents.offset)
        assert(lowest >= start && lowest <= message.count)
        return contents.range
    }
}

/// Writes the descriptors of a CHALLENGE and computes the offsets of their contents.
struct PayloadLayout {
    /// Offset of the contents of the next field.
    private(set) var offset: Int

    init(payloadStart: Int) { offset = payloadStart }

    /// Appends the descriptor for `count` bytes to the fixed part of a message.
    mutating func append(_ field: MessageField, count: Int, to message: inout [UInt8]) throws(MessageError) {
        guard count <= NTLMLimits.fieldBytes else {
            throw .fieldTooLong(field, bytes: count, limit: NTLMLimits.fieldBytes)
        }
        assert(message.count + PayloadField.size <= offset, "a descriptor lies before the payload")
        message.append(littleEndian: UInt16(count))
        message.append(littleEndian: UInt16(count))
        message.append(littleEndian: UInt32(offset))
        offset += count
        guard offset <= NTLMLimits.messageBytes else {
            throw .tooLong(bytes: offset, limit: NTLMLimits.messageBytes)
        }
    }
}
