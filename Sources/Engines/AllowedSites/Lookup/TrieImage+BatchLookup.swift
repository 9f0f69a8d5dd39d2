internal import CNameLanes

extension TrieImage {
    /// A lookup between two waits for memory.
    struct Probe {
        /// The words of the filter to read: for the last three labels and for the last two.
        var word3: Int
        var word2: Int
        let name: NameWords
        /// The keys that the filter is asked for: the name itself, and what stands for names below its last three labels and
        /// two labels; and all bits set where the name has more labels than these.
        let whole: UInt64
        let below3: UInt64
        let below2: UInt64
        let has3: UInt64
        let has2: UInt64
        let length3: UInt64
        let length2: UInt64
        let length: UInt64
        /// The key that the filter lets through first, and the bytes of the name it is for; 0: then nothing stands for it.
        var key: UInt64 = 0
        var part: UInt64 = 0
        var keyLength = 0
        var slot = 0
        var offset = 0
        /// Whether one lookup from end to end has to answer: long names, wildcards in unusual places.
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
        // Wildcards above one label or four and more are rare in lists, and asked for one by one; so are coded keys.
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
        // In bounds: `scaled` stays below the number of words.
        let word3 = UInt64(littleEndian: unsafe filter.load(fromByteOffset: probe.word3 &* 8, as: UInt64.self))
        let word2 = UInt64(littleEndian: unsafe filter.load(fromByteOffset: probe.word2 &* 8, as: UInt64.self))
        // Which of them the filter lets through is chance, so all are looked at, and the first one is taken by its mask.
        let isWhole = ~Self.mask(ifLacking: probe.whole, in: word3)
        let is3 = ~(Self.mask(ifLacking: probe.below3, in: word3) | isWhole) & probe.has3
        let is2 = ~(Self.mask(ifLacking: probe.below2, in: word2) | isWhole | is3) & probe.has2
        probe.key = probe.whole & isWhole | probe.below3 & is3 | probe.below2 & is2
        probe.part = probe.length & isWhole | probe.length3 & is3 | probe.length2 & is2
        probe.keyLength = Self.keyLength(Int(truncatingIfNeeded: probe.part))
        let table = keyTable(probe.keyLength)
        unsafe sallyport_prefetch(pilots + pilotIndex(probe.key, table) &* 2)
    }

    /// All bits set where `word` of the filter lacks a bit of the key `hash`.
    @inline(__always)
    private static func mask(ifLacking hash: UInt64, in word: UInt64) -> UInt64 {
        sallyport_mask_if_not_zero(KeyHash.filterBits(hash) & ~word)
    }

    @inline(__always)
    func readPilot(_ probe: inout Probe) {
        let table = keyTable(probe.keyLength)
        let index = slotIndex(probe.key, table)
        assert(index < Int(table.slotCount))
        probe.slot = Int(table.firstNumber) &+ index
        probe.offset = Int(truncatingIfNeeded: table.offset) &+ index &* probe.keyLength
        // A key may begin on one line of memory and end on the next.
        unsafe sallyport_prefetch(start + probe.offset)
        unsafe sallyport_prefetch(start + (probe.offset &+ probe.keyLength))
    }

    /// The answer, whose bytes have arrived by now.
    @inline(__always)
    func finish(_ probe: inout Probe, _ name: UnsafeRawBufferPointer) -> Int {
        if !probe.isUnusual {
            if probe.part == 0 { return -1 }
            let part = probe.name & .suffixMask(Int(truncatingIfNeeded: probe.part))
            // A key for the names below all of the name is never asked for.
            let isBelow = probe.key != probe.whole
            if isKey(at: probe.offset, probe.keyLength, part, isBelow: isBelow) { return probe.slot }
        }
        return unsafe number(inOneGo: name)
    }

    /// For the case that the filter was wrong about the first key, and for unusual names.
    @inline(never)
    private func number(inOneGo name: UnsafeRawBufferPointer) -> Int {
        guard let start = name.baseAddress else { return -1 }
        return unsafe narrowestNode(start, count: name.count)?.number ?? -1
    }
}

extension TrieImage.Probe {
    /// A lookup that is done in one go.
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
