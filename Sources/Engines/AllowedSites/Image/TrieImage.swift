internal import WireFormat

/// The compiled form of rules: one contiguous sequence of bytes without pointers, which is used in place.
///
/// ```text
/// offset length
///      0      8  "SITETRIE"
///      8      4  version, 5
///     12      4  layout of keys, as in TrieLayout: 0 = six bits a byte; 1 = Huffman-coded
///     16      8  length of the image in bytes
///     24      8  checksum of all bytes behind the header
///     32      8  checksum of the header without these eight bytes
///     40     24  seed of the hash
///     64     16  bit n = 1: the list has a wildcard above a name of n labels
///     80      4  number of rules
///     84      4  number of slots
///     88      4  number of networks
///     92      4  number of nodes with a rule list
///     96      4  number of rules in rule lists
///    100      4  bits of a source line in origins
///    104      4  number of IPv4 networks
///    108      4  address bits that the index uses (1 byte for IPv4, 1 for IPv6), address bytes in an entry (1 and 1)
///    112      4  number of IPv4 ranges; 0 = IPv4 networks are in a NetworkTable
///    116      2  number of shared leading bits (1 byte for IPv4, 1 for IPv6), as in SharedBits; 0 for ranges
///    118      2  zero
///    120      8  the shared bits, left-aligned (4 bytes for IPv4, 4 for IPv6)
///    128    256  16 sections in the order of Section: offset (8 bytes) and length (8 bytes); the last one is zero in
///                the fast layout
///    384         the sections, each at a multiple of 64
/// ```
///
/// All numbers are little-endian. A node (a name, the names below a name, a network) has a number: its slot, or the
/// number of slots plus its position among the networks. A node whose only rule is https, port 443 and all paths needs
/// nothing else. Each other node has a rule list; the numbers of these rules follow the numbers of nodes.
///
/// | section | one element | bytes | content |
/// |---|---|---|---|
/// | keyTables | key length 0…191 | 24 | offset of the first slot in the image (8), number of slots (4), first pilot (4), number of pilots (4), number of the first slot (4) |
/// | keys | slot | key length | the key as in ``PackedName``, or zeros for an empty slot; tables in order of key length |
/// | pilots | bucket of keys | 2 | the displacement of the perfect hash: hash and pilot choose the slot |
/// | filter | block | 8 | the blocked Bloom filter; the hash of the last three labels chooses the block, the key's own hash sets three bits |
/// | listMarks | 64 nodes | 12 | one bit for each node with a rule list (8), number of rule lists before them (4) |
/// | listStarts | rule list | 4 | its first position in listRules; one more at the end |
/// | listRules | rule | 4 | its constraint; in a list longer paths first, then exceptions first |
/// | constraints | constraint | 12 | traits (1), zero (1), port (2), segments of the path (2), zero (2), path (4; 0 = none) |
/// | pathStarts | path | 4 | its first byte in paths; one more at the end |
/// | paths | | | the texts of the paths |
/// | networkIndexes | | | the index of IPv4, then of IPv6; see ``NetworkTable`` and ``NetworkRanges`` |
/// | networks | | | the entries of IPv4, then of IPv6, then ``NetworkTable/padding`` zeros |
/// | origins | rule number | bits, packed | source line, counted over all lists; 0 = unknown; empty if lines are not kept |
/// | lists | list | 8 | number of lines of the lists before it (4), end of its name in listNames (4) |
/// | listNames | | | the names of the lists |
/// | codes | two codes | 1 | compact layout: lengths of the Huffman codes, the lower half first; see ``HuffmanCode`` |
///
/// A key length without keys has one empty slot in the padding behind the keys. In the compact layout, keys of up to 32
/// bytes lie in slots of whole bits; see `TrieImage+CompactNodes`. Wildcards above more than four labels choose their
/// filter block by the hash of all their labels.
///
/// Reads are in bounds, because ``init(opening:)`` compares the image with its header, each section with the image, and each table with
/// its section. `TrieImage+Reading` and `TrieImage+Slots` have all other reads.
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
    /// The number of readable bytes behind the last slot; a load of the longest key may reach them.
    static let keyPadding = 256

    /// Offsets in the header.
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
    /// The Huffman code of keys; `nil` in the fast layout.
    let code: HuffmanCode?
    /// The label counts of all wildcards.
    let wildcards: LabelCounts
    /// Whether the list has wildcards above one label, and above four or more.
    let hasTopWildcards: Bool
    let hasDeepWildcards: Bool
    let filterWords: UInt32
    let ruleCount: Int
    let slotCount: Int
    let networkCount: Int
    let listCount: Int
    let listRuleCount: Int
    let originBits: Int
    /// Empty if the networks are in ``ipv4Ranges``.
    let ipv4Networks: NetworkTable
    let ipv4Ranges: NetworkRanges?
    let ipv6Networks: NetworkTable
    // Addresses of sections, computed once, so that a lookup does not read the header. `memory` owns the bytes; they
    // never move and never change.
    nonisolated(unsafe) let start: UnsafeRawPointer
    nonisolated(unsafe) let keyTables: UnsafeRawPointer
    nonisolated(unsafe) let pilots: UnsafeRawPointer
    nonisolated(unsafe) let filter: UnsafeRawPointer

    /// Checks header and tables, as far as the memory safety of lookups depends on them.
    ///
    /// After this, lookups stay inside the image whatever the other sections contain; their answers may be wrong.
    ///
    /// - Complexity: O(1) in the number of rules.
    init(opening memory: ImageBytes) throws(TrieImageError) {
        let layout = try Self.checkedLayout(of: memory)
        let bytes = unsafe memory.unsafeBytes
        func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, _ offset: Int) -> Value {
            // In bounds: `offset` is a field of the header, whose length was checked.
            Value(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
        }
        func section(_ section: Section) -> UnsafeRawBufferPointer { unsafe Self.bytes(of: section, in: bytes) }

        self.memory = memory
        unsafe start = bytes.baseAddress.unsafelyUnwrapped
        hash = KeyHash(
            first: number(UInt64.self, Field.seed),
            second: number(UInt64.self, Field.seed + 8),
            third: number(UInt64.self, Field.seed + 16)
        )
        // Mixing in the compact layout is reversible only if this factor is odd.
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
            // In bounds: the IPv4 part lies inside both sections.
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

    /// Checks what the header says of the whole, and the lengths of the sections.
    private static func checkedLayout(of memory: ImageBytes) throws(TrieImageError) -> TrieLayout {
        let bytes = unsafe memory.unsafeBytes
        guard bytes.count >= headerLength else {
            guard unsafe mark.utf8.starts(with: bytes.prefix(mark.utf8.count)) else { throw .notAnImage }
            throw unsafe .truncated(needed: headerLength, available: bytes.count)
        }
        func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, _ offset: Int) -> Value {
            // In bounds: `offset` is a field of the header, whose length was checked.
            Value(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type))
        }
        guard number(UInt64.self, 0) == magic else { throw .notAnImage }
        let version = number(UInt32.self, Field.version)
        guard version == Self.version else {
            throw .unsupportedVersion(found: version, supported: Self.version)
        }
        let expected = number(UInt64.self, Field.headerChecksum)
        let found = memory.withSpan { headerChecksum($0) }
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
        try unsafe checkSections(bytes, layout)
        return layout
    }
}
