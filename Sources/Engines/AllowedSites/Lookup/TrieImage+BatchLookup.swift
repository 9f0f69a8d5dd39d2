internal import CNameLanes
internal import PerfectHash

extension TrieImage {
    /// The state of one lookup of a batch between its steps.
    struct Probe {
        /// The filter blocks to read: of the last three labels and of the last two.
        var word3: Int
        var word2: Int
        let name: NameWords
        /// The hashes of the candidate keys: the name, and the wildcards above its last three and last two labels.
        /// `has3` and `has2` have all bits set if the name has more labels than that.
        let whole: UInt64
        let below3: UInt64
        let below2: UInt64
        let has3: UInt64
        let has2: UInt64
        let length3: UInt64
        let length2: UInt64
        let length: UInt64
        /// The hash of the first candidate that passes the filter, and the length of its name; length 0 = no candidate
        /// passes.
        var key: UInt64 = 0
        var part: UInt64 = 0
        var keyLength = 0
        var slot = 0
        var offset = 0
        /// Whether the name is looked up alone at the end: long names, and lists with rare wildcards.
        let isUnusual: Bool
    }

    /// Packs and hashes a name.
    @inline(__always)
    func probe(_ name: UnsafeRawBufferPointer) -> Probe {
        let count = name.count
        guard count <= PackedName.maximumLength, let start = name.baseAddress else { return .unusual }
        let packed = unsafe PackedName(start, count: count)
        let whole = hash(packed.words, length: count)
        let dots2 = packed.dots & (packed.dots &- 1)
        let dots3 = dots2 & (dots2 &- 1)
        // Lists rarely have wildcards above one label or above four and more; such names, and keys of the compact
        // layout, are looked up one by one.
        guard !isCompact, !hasTopWildcards, !hasDeepWildcards || dots3 & (dots3 &- 1) == 0 else { return .unusual }
        let length2 = min(dots2.trailingZeroBitCount, count)
        let length3 = min(dots3.trailingZeroBitCount, count)
        let hash2 = hash(packed.words & .suffixMask(length2), length: length2)
        let hash3 = hash(packed.words & .suffixMask(length3), length: length3)
        let (word3, word2) = (scaled(hash3, to: filterWords), scaled(hash2, to: filterWords))
        unsafe sallyport_prefetch(filter + word3 &* 8)
        unsafe sallyport_prefetch(filter + word2 &* 8)
        return Probe(
            word3: word3,
            word2: word2,
            name: packed.words,
            whole: whole,
            below3: KeyHash.below(hash3),
            below2: KeyHash.below(hash2),
            has3: sallyport_mask_if_not_zero(dots3),
            has2: sallyport_mask_if_not_zero(dots2),
            length3: UInt64(truncatingIfNeeded: length3),
            length2: UInt64(truncatingIfNeeded: length2),
            length: UInt64(truncatingIfNeeded: count),
            isUnusual: false
        )
    }

    @inline(__always)
    func readFilter(_ probe: inout Probe) {
        assert(probe.word3 < Int(filterWords) && probe.word2 < Int(filterWords))
        // In bounds: `scaled` is below the number of blocks.
        let word3 = UInt64(littleEndian: unsafe filter.load(fromByteOffset: probe.word3 &* 8, as: UInt64.self))
        let word2 = UInt64(littleEndian: unsafe filter.load(fromByteOffset: probe.word2 &* 8, as: UInt64.self))
        // Which candidate passes is unpredictable, so masks select the first one instead of branches.
        let isWhole = ~Self.mask(ifLacking: probe.whole, in: word3)
        let is3 = ~(Self.mask(ifLacking: probe.below3, in: word3) | isWhole) & probe.has3
        let is2 = ~(Self.mask(ifLacking: probe.below2, in: word2) | isWhole | is3) & probe.has2
        probe.key = probe.whole & isWhole | probe.below3 & is3 | probe.below2 & is2
        probe.part = probe.length & isWhole | probe.length3 & is3 | probe.length2 & is2
        probe.keyLength = Self.keyLength(Int(truncatingIfNeeded: probe.part))
        let table = keyTable(probe.keyLength)
        unsafe sallyport_prefetch(pilots + pilotIndex(probe.key, table) &* 2)
    }

    /// All bits set if the block `word` lacks a bit of the key with this hash, else 0.
    @inline(__always)
    private static func mask(ifLacking hash: UInt64, in word: UInt64) -> UInt64 {
        sallyport_mask_if_not_zero(KeyHash.filterBits(hash) & ~word)
    }

    @inline(__always)
    func readPilot(_ probe: inout Probe) {
        let table = keyTable(probe.keyLength)
        let index = slotIndex(probe.key, table)
        assert(index < Int(table.slotCount))
        assert(probe.keyLength <= 32, "a packed name has four words")
        probe.slot = Int(table.firstNumber) &+ index
        probe.offset = Int(truncatingIfNeeded: table.offset) &+ index &* probe.keyLength
        // A key may span two cache lines.
        unsafe sallyport_prefetch(start + probe.offset)
        unsafe sallyport_prefetch(start + (probe.offset &+ probe.keyLength))
    }

    /// The node number, or -1. The prefetched bytes have arrived by now.
    @inline(__always)
    func finish(_ probe: inout Probe, _ name: UnsafeRawBufferPointer) -> Int {
        if !probe.isUnusual {
            if probe.part == 0 { return -1 }
            assert(probe.part <= probe.length, "the candidate is the name or a parent")
            let part = probe.name & .suffixMask(Int(truncatingIfNeeded: probe.part))
            // A wildcard above the whole name is never a candidate.
            let isBelow = probe.key != probe.whole
            if isKey(at: probe.offset, probe.keyLength, part, isBelow: isBelow) { return probe.slot }
        }
        return unsafe number(inOneGo: name)
    }

    /// The lookup of a single name, after a false positive of the filter and for unusual names.
    @inline(never)
    private func number(inOneGo name: UnsafeRawBufferPointer) -> Int {
        guard let start = name.baseAddress else { return -1 }
        return unsafe narrowestNode(start, count: name.count)?.number ?? -1
    }
}

extension TrieImage.Probe {
    /// The state of a name that is looked up alone at the end.
    static var unusual: TrieImage.Probe {
        TrieImage.Probe(
            word3: 0,
            word2: 0,
            name: .mask(bits: 0),
            whole: 0,
            below3: 0,
            below2: 0,
            has3: 0,
            has2: 0,
            length3: 0,
            length2: 0,
            length: 0,
            isUnusual: true
        )
    }
}
