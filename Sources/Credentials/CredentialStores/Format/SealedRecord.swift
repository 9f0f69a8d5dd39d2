internal import Secrets
internal import WireFormat

/// One sealed record.
///
/// ```
///  0   4  number of bytes of the box b
///  4  16  keyed hash of party, scheme and host      ┐ see RecordKey
/// 20  16  keyed hash of the name                    ┘
/// 36   b  nonce of 12 bytes, contents sealed, tag of 16 bytes: AES-256-GCM-SIV
/// ```
///
/// The store's ``SealedImage/context`` and both keyed hashes are authenticated with the box. The contents:
///
/// ```
///  0   2  layout of the contents: 1, or 2 if the name has a path, so that a program that reads up to 1 names the newer version
///  2   2  1 if the record expires, else 0
///  4   8  when it was stored, in seconds since 1970
/// 12   8  when it expires, or 0
/// 20   4  number of bytes of the name
/// 24   4  number of bytes of the secret
/// 28      the name, see CredentialName.encoded
///         the secret
///         zeros up to a multiple of 128 bytes, which hide the lengths
/// ```
///
/// Integers are little-endian.
enum SealedRecord {
    private static let keysStart = 4
    private static let boxStart = 36
    private static let newestLayout: UInt16 = 2
    private static let nameStart = 28
    private static let unit = 128

    /// The length of the record at the start of `range`; `nil` if it does not fit.
    static func length(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        guard range.count >= boxStart, let box = littleEndianUInt32(in: bytes.span, at: range.lowerBound),
            box >= SealingKey.overhead + unit, (Int(box) - SealingKey.overhead) % unit == 0,
            Int(box) <= range.count - boxStart
        else { return nil }
        return boxStart + Int(box)
    }

    /// The keyed hashes of the record that starts at `start` and whose length was checked.
    static func key(in bytes: [UInt8], at start: Int) -> RecordKey {
        RecordKey(
            host: Tag(bytes, at: start + keysStart),
            identifier: Tag(bytes, at: start + keysStart + Tag.byteCount)
        )
    }

    // MARK: - Sealing

    /// Seals `credential`, whose bounds were checked.
    static func seal(_ credential: StoredCredential, key: RecordKey, context: [UInt8], with sealing: SealingKey)
        -> [UInt8]
    {
        var contents = contents(of: credential)
        defer { erase(&contents) }
        let tags = key.host.bytes + key.identifier.bytes
        let box = sealing.seal(contents, authenticating: context + tags)
        var record: [UInt8] = []
        record.append(littleEndian: UInt32(box.count))
        return record + tags + box
    }

    private static func layout(of name: CredentialName) -> UInt16 { name.space.reach == .path ? 2 : 1 }

    private static func contents(of credential: StoredCredential) -> [UInt8] {
        let name = credential.name.encoded
        let length = nameStart + name.count + credential.secret.count
        let padded = (length + unit - 1) / unit * unit
        var contents: [UInt8] = []
        // Room for all of it, so that growing leaves no copy of the secret.
        contents.reserveCapacity(padded)
        contents.append(littleEndian: layout(of: credential.name))
        contents.append(littleEndian: UInt16(credential.expires == nil ? 0 : 1))
        contents.append(littleEndian: UInt64(bitPattern: credential.created))
        contents.append(littleEndian: UInt64(bitPattern: credential.expires ?? 0))
        contents.append(littleEndian: UInt32(name.count))
        contents.append(littleEndian: UInt32(credential.secret.count))
        contents += name
        credential.secret.withBytes { contents.append(copying: $0) }
        contents += repeatElement(0, count: padded - contents.count)
        return contents
    }

    // MARK: - Unsealing

    /// Unseals a record whose length was checked.
    static func open(
        _ record: ArraySlice<UInt8>,
        context: [UInt8],
        with sealing: SealingKey
    ) throws(CredentialStoreError.Problem) -> StoredCredential {
        let box = record.startIndex + boxStart
        let tags = record[record.startIndex + keysStart..<box]
        guard let contents = sealing.open(record[box...], authenticating: context + tags) else {
            throw .damaged(.records)
        }
        return try contents.withBytes { bytes throws(CredentialStoreError.Problem) in try credential(in: bytes) }
    }

    private static func credential(in bytes: Span<UInt8>) throws(CredentialStoreError.Problem) -> StoredCredential {
        guard let found = littleEndianUInt16(in: bytes, at: 0), let flags = littleEndianUInt16(in: bytes, at: 2),
            let created = littleEndianUInt64(in: bytes, at: 4), let expires = littleEndianUInt64(in: bytes, at: 12),
            let nameCount = littleEndianUInt32(in: bytes, at: 20).map(Int.init),
            let secretCount = littleEndianUInt32(in: bytes, at: 24).map(Int.init)
        else { throw .damaged(.records) }
        guard found <= newestLayout else { throw .newerVersion(found: Int(found), known: Int(newestLayout)) }
        guard flags <= 1, nameCount + secretCount <= bytes.count - nameStart,
            (1...CredentialLimits.secretBytes).contains(secretCount),
            let name = CredentialName(decoding: bytes.extracting(nameStart..<nameStart + nameCount)),
            found == layout(of: name)
        else { throw .damaged(.records) }
        let secretStart = nameStart + nameCount
        return StoredCredential(
            name: name,
            secret: SharedSecret(
                SecretBytes(copying: bytes.extracting(secretStart..<secretStart + secretCount))
            ),
            created: Int64(bitPattern: created),
            expires: flags == 1 ? Int64(bitPattern: expires) : nil
        )
    }
}
