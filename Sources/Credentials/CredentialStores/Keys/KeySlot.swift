internal import Secrets
internal import WireFormat

/// One wrapped copy of the data key: 108 bytes of a sealed file.
///
/// ```
///  0   4  number of the slot, different from that of every other slot
///  4   1  kind: 1 passphrase, 2 key file, 3 systemd credential
///  5   1  scrypt: base-2 logarithm of N ┐
///  6   1  scrypt: r                     ├ 0 for other kinds than a passphrase
///  7   1  scrypt: p                     ┘
///  8   8  when it was added, in seconds since 1970
/// 16  32  salt
/// 48  12  nonce                              ┐
/// 60  32  data key, sealed                   ├ AES-256-GCM-SIV
/// 92  16  tag                                ┘
/// ```
///
/// Integers are little-endian. The wrapping key is scrypt of the passphrase and the salt, or HKDF-SHA256 of the 32 bytes of the
/// file with the salt and the purpose `sallyport key slot`. The first 48 bytes of the slot are authenticated with the data
/// key, after the file's own ``SealedImage/context``.
struct KeySlot {
    static let byteCount = 108
    private static let boxStart = 48
    private static let saltBytes = 32

    let listing: KeySlotListing
    let bytes: [UInt8]
    private let cost: ScryptCost?

    /// Wraps `dataKey`.
    ///
    /// - Returns: `nil` if the memory for scrypt is not available.
    init?(
        number: UInt32,
        wrapping dataKey: SealingKey,
        with material: KeyMaterial,
        passphraseCost: ScryptCost,
        created: Int64,
        context: [UInt8]
    ) {
        let cost = material.kind == .passphrase ? passphraseCost : nil
        var bytes: [UInt8] = []
        bytes.append(littleEndian: number)
        bytes += [material.kind.rawValue, cost?.logarithmOfN ?? 0, cost?.r ?? 0, cost?.p ?? 0]
        bytes.append(littleEndian: UInt64(bitPattern: created))
        let salt = randomBytes(Self.saltBytes)
        bytes += salt
        guard let key = material.wrappingKey(salt: salt, cost: cost) else { return nil }
        var contents = dataKey.withBytes { [UInt8](copying: $0) }
        bytes += key.seal(contents, authenticating: context + bytes)
        erase(&contents)
        assert(bytes.count == Self.byteCount)
        self.bytes = bytes
        self.cost = cost
        listing = KeySlotListing(number: number, kind: material.kind, created: created)
    }

    /// Reads the slot that `bytes` are.
    ///
    /// - Returns: `nil` if they are not a slot: an unknown kind, or a cost that no writer uses.
    init?(parsing bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount, let kind = KeySlotKind(rawValue: bytes[4]),
            let number = littleEndianUInt32(in: bytes.span, at: 0),
            let created = littleEndianUInt64(in: bytes.span, at: 8)
        else { return nil }
        if kind == .passphrase {
            guard let cost = ScryptCost(checking: bytes[5], r: bytes[6], p: bytes[7]) else { return nil }
            self.cost = cost
        } else {
            guard bytes[5...7].allSatisfy({ $0 == 0 }) else { return nil }
            cost = nil
        }
        self.bytes = bytes
        listing = KeySlotListing(number: number, kind: kind, created: Int64(bitPattern: created))
    }

    /// What opening a slot yields.
    enum Opening {
        case dataKey(SealingKey)
        case wrongKey
        case noMemory
    }

    /// Unwraps the data key.
    func open(with material: KeyMaterial, context: [UInt8]) -> Opening {
        let salt = Array(bytes[Self.boxStart - Self.saltBytes..<Self.boxStart])
        guard let key = material.wrappingKey(salt: salt, cost: cost) else { return .noMemory }
        let authenticated = context + bytes[..<Self.boxStart]
        guard let dataKey = key.open(bytes[Self.boxStart...], authenticating: authenticated),
            dataKey.count == SealingKey.byteCount
        else { return .wrongKey }
        return .dataKey(dataKey.withBytes { SealingKey(copying: $0) })
    }
}
