internal import WireFormat

/// The bytes of a sealed file, taken apart but not yet trusted.
///
/// ```
///  0   8  "SPSTORE" and a zero
///  8   2  version of the format, 1
/// 10   2  number of key slots s, 1 to 8
/// 12   4  number of records r, at most 10,000
/// 16  16  identifier of the store, random, for its whole life
/// 32   8  number of the write, from 1
/// 40   8  number of bytes of the file n
/// 48      s key slots of 108 bytes, see KeySlot
///         r records, see SealedRecord, in strictly ascending order of their keyed hashes
/// n−32 32 HMAC-SHA256 over all bytes before it
/// ```
///
/// Integers are little-endian. A random data key of 32 bytes gives three keys by HKDF-SHA256, with the identifier of the store
/// as salt and these purposes:
///
/// | purpose | use |
/// |---|---|
/// | `sallyport store records` | AES-256-GCM-SIV of each record |
/// | `sallyport store names` | HMAC-SHA256 of hosts and names |
/// | `sallyport store file` | HMAC-SHA256 of the file |
///
/// The code at the end covers header, key slots and records, so that a record can neither be removed nor brought back from an
/// older write. The first 10 bytes and the identifier are also authenticated with each key slot and record, so that neither
/// can be moved to another store.
struct SealedImage {
    static let magic = [UInt8]("SPSTORE".utf8) + [0]
    static let version: UInt16 = 1
    static let headerLength = 48
    static let identifierLength = 16
    static let codeLength = SealingKey.codeByteCount
    /// The shortest file: one key slot, no record.
    static let smallest = headerLength + KeySlot.byteCount + codeLength

    let bytes: [UInt8]
    /// The identifier of the store.
    let identifier: [UInt8]
    /// The number of the write.
    let write: UInt64
    let slots: [KeySlot]
    /// Where each record starts and ends, in ascending order of their keys.
    let records: [Range<Int>]

    /// What key slots and records are authenticated with.
    var context: [UInt8] { Self.context(identifier) }

    static func context(_ identifier: [UInt8]) -> [UInt8] {
        var context = magic
        context.append(littleEndian: version)
        return context + identifier
    }

    /// Takes `bytes` apart. Nothing is trusted before ``isAuthentic(under:)``.
    init(parsing bytes: [UInt8]) throws(CredentialStoreError.Problem) {
        guard bytes.starts(with: Self.magic.prefix(bytes.count)), !bytes.isEmpty else { throw .notASealedFile }
        guard let version = littleEndianUInt16(in: bytes.span, at: 8),
            bytes.count >= Self.smallest
        else { throw .truncated(bytes: bytes.count, needed: Self.smallest) }
        guard version <= Self.version else {
            throw .newerVersion(found: Int(version), known: Int(Self.version))
        }
        guard version == Self.version,
            let slotCount = littleEndianUInt16(in: bytes.span, at: 10).map(Int.init),
            let recordCount = littleEndianUInt32(in: bytes.span, at: 12).map(Int.init),
            let write = littleEndianUInt64(in: bytes.span, at: 32),
            let length = littleEndianUInt64(in: bytes.span, at: 40),
            (1...CredentialLimits.keySlots).contains(slotCount), recordCount <= CredentialLimits.records,
            length >= UInt64(Self.smallest), length <= UInt64(CredentialLimits.fileBytes)
        else { throw .damaged(.header) }
        guard bytes.count >= Int(length) else { throw .truncated(bytes: bytes.count, needed: Int(length)) }
        guard bytes.count == Int(length) else { throw .damaged(.header) }
        self.bytes = bytes
        self.write = write
        identifier = Array(bytes[16..<16 + Self.identifierLength])
        let recordsStart = Self.headerLength + slotCount * KeySlot.byteCount
        guard recordsStart <= bytes.count - Self.codeLength else { throw .damaged(.header) }
        slots = try Self.slots(in: bytes[Self.headerLength..<recordsStart])
        records = try Self.records(in: bytes, recordsStart..<bytes.count - Self.codeLength, count: recordCount)
    }

    private static func slots(in bytes: ArraySlice<UInt8>) throws(CredentialStoreError.Problem) -> [KeySlot] {
        var slots: [KeySlot] = []
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: KeySlot.byteCount) {
            guard let slot = KeySlot(parsing: bytes[start..<start + KeySlot.byteCount]),
                !slots.contains(where: { $0.listing.number == slot.listing.number })
            else { throw .damaged(.keySlots) }
            slots.append(slot)
        }
        return slots
    }

    private static func records(
        in bytes: [UInt8],
        _ range: Range<Int>,
        count: Int
    ) throws(CredentialStoreError.Problem) -> [Range<Int>] {
        var records: [Range<Int>] = []
        records.reserveCapacity(count)
        var (start, previous): (Int, RecordKey?) = (range.lowerBound, nil)
        for _ in 0..<count {
            guard let length = SealedRecord.length(in: bytes, start..<range.upperBound) else {
                throw .damaged(.records)
            }
            let key = SealedRecord.key(in: bytes, at: start)
            if let previous, key <= previous { throw .damaged(.records) }
            records.append(start..<start + length)
            (start, previous) = (start + length, key)
        }
        guard start == range.upperBound else { throw .damaged(.records) }
        return records
    }

    /// Whether the code at the end is that of the bytes before it.
    ///
    /// - Complexity: O(*n*) in the bytes of the file.
    func isAuthentic(under keys: StoreKeys) -> Bool {
        let end = bytes.count - Self.codeLength
        return keys.file.isCode(bytes[end...], of: bytes[..<end])
    }
}

extension SealedImage {
    /// Writes a file.
    ///
    /// - Parameter records: in strictly ascending order of their keys.
    init(
        identifier: [UInt8],
        write: UInt64,
        slots: [KeySlot],
        records: [ArraySlice<UInt8>],
        keys: StoreKeys
    ) throws(CredentialStoreError.Problem) {
        let length =
            Self.headerLength + slots.count * KeySlot.byteCount + records.reduce(0) { $0 + $1.count } + Self.codeLength
        guard length <= CredentialLimits.fileBytes else { throw .tooLarge(bytes: length) }
        var bytes = Self.magic
        bytes.reserveCapacity(length)
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt16(slots.count))
        bytes.append(littleEndian: UInt32(records.count))
        bytes += identifier
        bytes.append(littleEndian: write)
        bytes.append(littleEndian: UInt64(length))
        for slot in slots { bytes += slot.bytes }
        for record in records { bytes += record }
        bytes += keys.file.code(of: bytes[...])
        try self.init(parsing: bytes)
    }
}
