internal import WireFormat

/// The server's attributes, in the order in which it sent them (MS-NLMP 2.2.2.1).
///
/// ```
/// 0    2     4               4+AvLen
/// ┌────┬─────┬───────────────┬────┬─────┬────╌╌┬───────────┐
/// │AvId│AvLen│value          │AvId│AvLen│value │ 0    0    │
/// └────┴─────┴───────────────┴────┴─────┴────╌╌┴───────────┘
///                                                MsvAvEOL
/// ```
package struct TargetInfo: Equatable, Sendable {
    /// Every attribute before `MsvAvEOL`, unknown and repeated ones included.
    package private(set) var pairs: [AVPair]

    /// Takes attributes in their order and drops every `MsvAvEOL`, which marks the end of the written list.
    package init(pairs: [AVPair] = []) {
        self.pairs = pairs.filter { $0.id != .eol }
        assert(brokenInvariant() == nil)
    }

    /// Reads attributes up to `MsvAvEOL`; bytes after it are not read, because other fields may follow it.
    package init(parsing bytes: Span<UInt8>) throws(MessageError) {
        pairs = []
        var cursor = AVPairCursor(0..<bytes.count)
        while let (id, value) = try cursor.next(in: bytes) {
            pairs.append(AVPair(id: id, value: [UInt8](copying: bytes.extracting(value))))
        }
        assert(brokenInvariant() == nil)
    }

    /// The value of the first attribute `id`, or `nil`.
    package func value(of id: AVPair.ID) -> [UInt8]? {
        pairs.first { $0.id == id }?.value
    }

    /// Replaces the first attribute `id` and removes its repetitions, or appends it.
    ///
    /// A second attribute is never added, because with two `MsvAvFlags` a peer may read either (CVE-2019-1166).
    package mutating func set(_ id: AVPair.ID, to value: [UInt8]) {
        assert(id != .eol, "MsvAvEOL would end the list before the attributes after it")
        guard let first = pairs.firstIndex(where: { $0.id == id }) else {
            pairs.append(AVPair(id: id, value: value))
            return
        }
        pairs[first].value = value
        pairs[(first + 1)...].removeAll { $0.id == id }
    }

    /// The server's clock, or `nil` without `MsvAvTimestamp`.
    package func timestamp() throws(MessageError) -> FileTime? {
        guard let value = value(of: .timestamp) else { return nil }
        guard value.count == 8, let ticks = littleEndianUInt64(in: value.span, at: 0) else {
            throw .avPairLength(id: AVPair.ID.timestamp.rawValue, expected: 8, found: value.count)
        }
        return FileTime(rawValue: ticks)
    }

    /// `MsvAvFlags`; empty without the attribute.
    package func flags() throws(MessageError) -> AVPair.Flags {
        guard let value = value(of: .flags) else { return [] }
        guard value.count == 4, let bits = littleEndianUInt32(in: value.span, at: 0) else {
            throw .avPairLength(id: AVPair.ID.flags.rawValue, expected: 4, found: value.count)
        }
        return AVPair.Flags(rawValue: bits)
    }

    /// The number of bytes that ``append(to:)`` writes.
    package var byteCount: Int { pairs.reduce(4) { $0 + 4 + $1.value.count } }

    /// Appends every attribute and `MsvAvEOL`.
    ///
    /// - Throws: `fieldTooLong` when a value does not fit its 16-bit length.
    package func append(to bytes: inout [UInt8]) throws(MessageError) {
        let start = bytes.count
        for pair in pairs {
            guard let length = UInt16(exactly: pair.value.count) else {
                throw .fieldTooLong(.targetInfo, bytes: pair.value.count, limit: NTLMLimits.fieldBytes)
            }
            bytes.append(littleEndian: pair.id.rawValue)
            bytes.append(littleEndian: length)
            bytes.append(contentsOf: pair.value)
        }
        bytes.append(littleEndian: AVPair.ID.eol.rawValue)
        bytes.append(littleEndian: UInt16(0))
        assert(bytes.count - start == byteCount)
    }
}
