internal import WireFormat

/// A keyed hash of 16 bytes: the start of an HMAC-SHA256.
struct Tag: Comparable {
    static let byteCount = 16
    private let high: UInt64
    private let low: UInt64

    /// Reads the tag that starts at `offset`.
    ///
    /// - Precondition: `bytes` has 16 bytes from there on.
    init(_ bytes: [UInt8], at offset: Int) {
        guard let high = littleEndianUInt64(in: bytes.span, at: offset),
            let low = littleEndianUInt64(in: bytes.span, at: offset + 8)
        else { preconditionFailure("a tag has 16 bytes") }
        // The first byte is the most significant one, so that the words have the order of the bytes.
        self.high = high.byteSwapped
        self.low = low.byteSwapped
    }

    /// The key as the 16 bytes that the file has.
    var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    /// The order of the bytes.
    static func < (left: Tag, right: Tag) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

/// Where a record lies in the order of a file: records of one host are neighbours.
struct RecordKey: Comparable {
    /// The keyed hash of party, scheme and host.
    let host: Tag
    /// The keyed hash of the whole name.
    let identifier: Tag

    /// By host, then by identifier.
    static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.host != right.host ? left.host < right.host : left.identifier < right.identifier
    }
}
