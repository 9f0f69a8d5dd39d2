internal import WireFormat

/// The compiled form of rules: one run of bytes without pointers, which answers where it lies.
///
/// ```text
/// offset length
///      0      8  "SITETRIE"
///      8      4  version, 5
///     12      4  layout of keys, as in TrieLayout: 0, six bits a byte; 1, coded
///     16      8  length of the image
///     24      8  checksum of everything behind the header
///     32      8  checksum of the header, these eight bytes taken as zero
///     40     24  seed of the hash
///     64     16  bit n: wildcards stand above names of n labels
///     80      4  number of rules
///     84      4  number of slots of keys
///     88      4  number of networks
///     92      4  number of places that have a list of rules
///     96      4  number of rules in such lists
///    100      4  bits of an origin
///    104      4  number of IPv4 networks
///    108      4  for IPv4 and IPv6: bits of an address that the index takes (1 byte each), bytes of one that an entry of a
///                network keeps (1 byte each)
///    112      4  number of ranges of IPv4, or 0 where its networks are kept inside each other
///    116      2  for IPv4 and IPv6: how many first bits all networks share (1 byte each), as in SharedBits; 0 for ranges
///    118      2  zero
///    120      8  for IPv4 and IPv6: those bits, the first one the highest, and zeros (4 bytes each)
///    128    256  sixteen sections: offset (8 bytes) and length (8 bytes) each, in the order of Section; the last one is all
///                zero where keys are not coded
///    384         the sections, each at a multiple of 64
/// ```
///
/// Every number is little-endian. A place (a name, the names below one, a network) has a number: its slot, or behind all
/// slots its position among the networks. A place whose only rule is about https, port 443 and all paths is that number and
/// nothing else; all others have a list of rules, whose numbers follow.
///
/// - *keys*: slots of the keys of one length in bytes behind those of the next shorter one. A slot holds a key as
///   ``PackedName`` has it, or zeros. Where keys are coded, slots of up to 32 bytes are as ``compactNode(_:_:_:isBelow:)`` has
///   them, bit by bit, and the slots of longer keys are as in the other layout.
/// - *keyTables*: 192 entries of 24 bytes, by the length of a key in bytes: where its slots begin in the image (8), how many
///   there are (4), its first pilot (4), how many pilots (4), the number of its first slot (4). A length without keys has one
///   slot and one pilot that it shares with others; the slot is empty.
/// - *pilots*: 2 bytes each. The upper half of a key's hash chooses a pilot, and both together a slot.
/// - *filter*: words of 8 bytes. The hash of the last three labels of a key, or of all it has, chooses a word, in which the
///   key's own hash sets three bits. For names below more than four labels the hash of these labels chooses it.
/// - *listMarks*: for 64 places 12 bytes: a bit for each that has a list (8), and how many have one before them (4).
/// - *listStarts*: 4 bytes a list, where its rules begin in *listRules*, and one more at the end.
/// - *listRules*: 4 bytes a rule, its constraint; in a list the longer path first, then exceptions first.
/// - *constraints*: 12 bytes: traits (1), zero (1), port (2), segments of the path (2), zero (2), path (4; 0: none).
/// - *pathStarts*, *paths*: 4 bytes a path and one more, and the texts.
/// - *networkIndexes*, *networks*: index and entries of IPv4, behind them those of IPv6, and zeros; see ``NetworkTable``, and
///   for very many networks of IPv4 ``NetworkRanges``.
/// - *origins*: for each number, packed, its line, counted over all lists; 0 where there is none. May be empty.
/// - *lists*, *listNames*: for each list the lines of those before it (4) and where its name ends (4), and the names.
/// - *codes*: where keys are coded, the length of each code, half a byte each, the lower half first; see ``HuffmanCode``.
@safe
final class TrieImage: Sendable {
    enum Section: Int, CaseIterable {
        case keyTables, keys, pilots, filter, listMarks, listStarts, listRules, constraints, pathStarts, paths
        case networkIndexes, networks, origins, lists, listNames, codes
    }

    /// The first bytes of every image.
    static let mark = "SITETRIE"
    /// The same bytes as a little-endian number.
    static let magic: UInt64 = 0x4549_5254_4554_4953
    static let version: UInt32 = 5
    static let headerLength = 384
    static let sectionCount = 16
    static let sectionAlignment = 64
    static let keyTableCount = 192
    static let keyTableStride = 24
    /// What may be read behind the last slot: a whole key of the longest kind.
    static let keyPadding = 256

    /// Where the numbers of the header stand.
    enum Field {
        static let version = 8
        static let layout = 12
        static let length = 16
        static let checksum = 24
        static let headerChecksum = 32
        static let seed = 40
        static let wildcards = 64
        static let ruleCount = 80
        static let slotCount = 84
        static let networkCount = 88
        static let listCount = 92
        static let listRuleCount = 96
        static let originBits = 100
        static let ipv4Count = 104
        static let networkTables = 108
        static let rangeCount = 112
        static let sharedCounts = 116
        static let sharedBits = 120
        static let sections = 128
    }

    let memory: ImageBytes
    let hash: KeyHash
    /// How keys are coded, or `nil` where they are not.
    let code: HuffmanCode?
    /// Above names of how many labels wildcards stand.
    let wildcards: LabelCounts
    /// Whether some stand above a single label, and whether some stand above four or more.
    let hasTopWildcards: Bool
    let hasDeepWildcards: Bool
    let filterWords: UInt32
    let ruleCount: Int
    let slotCount: Int
    let networkCount: Int
    let listCount: Int
    let listRuleCount: Int
    let originBits: Int
    /// Empty where the networks are ``ipv4Ranges``.
    let ipv4Networks: NetworkTable
    let ipv4Ranges: NetworkRanges?
    let ipv6Networks: NetworkTable
    // Copies of what the memory and its header say, so that a lookup asks neither of them. `memory` keeps the bytes where they
    // are, and nobody writes to them.
    nonisolated(unsafe) let start: UnsafeRawPointer
    nonisolated(unsafe) let keyTables: UnsafeRawPointer
    nonisolated(unsafe) let pilots: UnsafeRawPointer
    nonisolated(unsafe) let filter: UnsafeRawPointer

    /// Reads and checks header and tables, as far as memory safety of every lookup depends on them.
    ///
    /// After this, any bytes at all in the other sections lead to some answer, never outside of the image.
    ///
    /// - Complexity: independent of the number of rules.
    init(opening memory: ImageBytes) throws(TrieImageError) {
        let bytes = unsafe memory.unsafeBytes
        guard bytes.count >= Self.headerLength else {
            guard unsafe Self.mark.utf8.starts(with: bytes.prefix(Self.mark.utf8.count)) else {
                throw .notAnImage
            }
            throw unsafe .truncated(needed: Self.headerLength, available: bytes.count)
        }
        func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, _ offset: Int) -> Value {
            // In bounds: only fields of the header are read.
            Value(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
        }
        guard number(UInt64.self, 0) == Self.magic else { throw .notAnImage }
        let version = number(UInt32.self, Field.version)
        guard version == Self.version else {
            throw .unsupportedVersion(found: version, supported: Self.version)
        }
        let expected = number(UInt64.self, Field.headerChecksum)
        let found = unsafe Self.headerChecksum(bytes)
        guard found == expected else { throw .checksum(found: found, expected: expected) }
        let layoutNumber = number(UInt32.self, Field.layout)
        guard let layout = TrieLayout(number: layoutNumber) else { throw .unknownLayout(found: layoutNumber) }
        let length = number(UInt64.self, Field.length)
        guard length <= bytes.count else {
            throw unsafe .truncated(needed: Int(clamping: length), available: bytes.count)
        }
        guard length == bytes.count else {
            throw unsafe .trailingBytes(expected: Int(length), available: bytes.count)
        }
        try unsafe Self.checkSections(bytes, layout)
        func section(_ section: Section) -> UnsafeRawBufferPointer { unsafe Self.bytes(of: section, in: bytes) }

        self.memory = memory
        unsafe start = bytes.baseAddress.unsafelyUnwrapped
        hash = KeyHash(
            first: number(UInt64.self, Field.seed),
            second: number(UInt64.self, Field.seed + 8),
            third: number(UInt64.self, Field.seed + 16)
        )
        // Mixed keys of the compact layout can be told apart, and be mixed back, only where this factor is odd.
        guard hash.third & 1 == 1 else { throw .seed }
        wildcards = LabelCounts(
            low: number(UInt64.self, Field.wildcards),
            high: number(UInt64.self, Field.wildcards + 8)
        )
        hasTopWildcards = wildcards.contains(1)
        hasDeepWildcards = wildcards.greatest >= LabelCounts.shared
        ruleCount = Int(number(UInt32.self, Field.ruleCount))
        slotCount = Int(number(UInt32.self, Field.slotCount))
        networkCount = Int(number(UInt32.self, Field.networkCount))
        listCount = Int(number(UInt32.self, Field.listCount))
        listRuleCount = Int(number(UInt32.self, Field.listRuleCount))
        originBits = Int(number(UInt32.self, Field.originBits))
        let ipv4Count = min(Int(number(UInt32.self, Field.ipv4Count)), networkCount)
        let rangeCount = Int(number(UInt32.self, Field.rangeCount))
        func shared(_ family: Int) -> SharedBits? {
            SharedBits(
                count: number(UInt8.self, Field.sharedCounts + family),
                stored: number(UInt32.self, Field.sharedBits + family * 4)
            )
        }
        if rangeCount > 0 {
            ipv4Ranges = unsafe NetworkRanges(
                count: ipv4Count,
                rangeCount: rangeCount,
                indexBits: Int(number(UInt8.self, Field.networkTables)),
                index: section(.networkIndexes),
                entries: section(.networks)
            )
            guard ipv4Ranges != nil else { throw .network(number: 0) }
        } else {
            ipv4Ranges = nil
        }
        ipv4Networks = try unsafe Self.networkTable(
            0..<(rangeCount > 0 ? 0 : ipv4Count),
            of: networkCount,
            shared: shared(0),
            indexBits: rangeCount > 0 ? 0 : Int(number(UInt8.self, Field.networkTables)),
            kept: Int(number(UInt8.self, Field.networkTables + 2)),
            index: section(.networkIndexes),
            entries: section(.networks)
        )
        let indexLength = ipv4Ranges?.indexLength ?? ipv4Networks.indexLength
        let entriesLength = ipv4Ranges?.entriesLength ?? ipv4Networks.entriesLength
        ipv6Networks = try unsafe Self.networkTable(
            ipv4Count..<networkCount,
            of: networkCount,
            shared: shared(1),
            indexBits: Int(number(UInt8.self, Field.networkTables + 1)),
            kept: Int(number(UInt8.self, Field.networkTables + 3)),
            // In bounds: what comes before lies inside of both sections.
            index: UnsafeRawBufferPointer(rebasing: section(.networkIndexes)[indexLength...]),
            entries: UnsafeRawBufferPointer(rebasing: section(.networks)[entriesLength...])
        )
        guard Int(number(UInt32.self, Field.ipv4Count)) == ipv4Count,
            unsafe section(.networkIndexes).count == indexLength + ipv6Networks.indexLength,
            unsafe section(.networks).count
                == entriesLength + ipv6Networks.entriesLength + NetworkTable.padding
        else { throw .network(number: ipv4Count) }
        filterWords = unsafe UInt32(clamping: section(.filter).count / 8)
        unsafe keyTables = UnsafeRawPointer(section(.keyTables).baseAddress.unsafelyUnwrapped)
        unsafe pilots = UnsafeRawPointer(section(.pilots).baseAddress.unsafelyUnwrapped)
        unsafe filter = UnsafeRawPointer(section(.filter).baseAddress.unsafelyUnwrapped)
        code = layout == .compact ? try unsafe Self.code(section(.codes)) : nil
        try checkLengths()
        try checkKeyTables()
    }

    /// The bytes of `section`.
    func bytes(_ section: Section) -> UnsafeRawBufferPointer {
        unsafe Self.bytes(of: section, in: memory.unsafeBytes)
    }

    /// Reads a number of `section`, or 0 past its end: an image that nobody validated may lead anywhere.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, _ section: Section, at offset: Int)
        -> Value
    {
        let bytes = unsafe bytes(section)
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return 0 }
        return Value(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
