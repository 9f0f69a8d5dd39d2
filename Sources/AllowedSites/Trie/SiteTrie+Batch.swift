internal import CNameLanes

extension SiteTrie {
    /// How many names are looked up side by side.
    package static let batchWidth = 32

    /// The number of the narrowest place for each of many names, or -1.
    ///
    /// A name that is not in the processor's cache costs a wait for memory. Here the names of a batch wait together: first all
    /// are packed and hashed, then all words of the filter are read, then all pilots, then the slots.
    ///
    /// - Parameters:
    ///   - text: the bytes of all names.
    ///   - names: where each name begins in `text`, and behind that where it ends; all canonical.
    ///   - numbers: as many as there are names.
    package func placeNumbers(
        in text: UnsafeRawBufferPointer,
        _ names: UnsafeBufferPointer<(start: Int, end: Int)>,
        into numbers: UnsafeMutableBufferPointer<Int>
    ) {
        precondition(names.count <= numbers.count)
        unsafe withUnsafeTemporaryAllocation(of: TrieImage.Probe.self, capacity: Self.batchWidth) { probes in
            var first = 0
            while first < names.count {
                let count = min(Self.batchWidth, names.count - first)
                for index in 0..<count {
                    let (start, end) = unsafe names[first + index]
                    precondition(start >= 0 && end > start && end <= text.count)
                    let name = unsafe UnsafeRawBufferPointer(rebasing: text[start..<end])
                    unsafe (probes.baseAddress.unsafelyUnwrapped + index).initialize(to: image.probe(name))
                }
                // Each loop asks for what the next one reads, so that many reads are under way at once.
                for index in 0..<count { unsafe image.readFilter(&probes[index]) }
                for index in 0..<count { unsafe image.readPilot(&probes[index]) }
                for index in 0..<count {
                    let (start, end) = unsafe names[first + index]
                    let name = unsafe UnsafeRawBufferPointer(rebasing: text[start..<end])
                    unsafe numbers[first + index] = unsafe image.finish(&probes[index], name)
                }
                first += count
            }
        }
    }
}

extension TrieImage {
    /// A lookup between two waits for memory.
    struct Probe {
        /// The words of the filter to read: for the last three labels and for the last two.
        var word3: Int
        var word2: Int
        /// The keys that the filter is asked for: the name itself, and what stands for names below its last three labels and
        /// two labels; 0 for none.
        let name: NameWords
        let whole: UInt64
        let below3: UInt64
        let below2: UInt64
        let length3: Int
        let length2: Int
        let length: Int
        /// The key that the filter lets through first, or 0: then nothing stands for the name.
        var key: UInt64 = 0
        var keyLength = 0
        var part = 0
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
        let length2 = dots2 == 0 ? count : dots2.trailingZeroBitCount
        let length3 = dots3 == 0 ? count : dots3.trailingZeroBitCount
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
            below3: dots3 == 0 ? 0 : KeyHash.below(hash3),
            below2: dots2 == 0 ? 0 : KeyHash.below(hash2),
            length3: length3,
            length2: length2,
            length: count,
            isUnusual: false
        )
    }

    @inline(__always)
    func readFilter(_ probe: inout Probe) {
        // In bounds: `scaled` stays below the number of words.
        let word3 = UInt64(littleEndian: unsafe filter.load(fromByteOffset: probe.word3 &* 8, as: UInt64.self))
        let word2 = UInt64(littleEndian: unsafe filter.load(fromByteOffset: probe.word2 &* 8, as: UInt64.self))
        var (key, length) =
            Self.holds(word2, probe.below2) && probe.below2 != 0 ? (probe.below2, probe.length2) : (0, 0)
        if Self.holds(word3, probe.below3), probe.below3 != 0 { (key, length) = (probe.below3, probe.length3) }
        if Self.holds(word3, probe.whole) { (key, length) = (probe.whole, probe.length) }
        probe.key = key
        probe.part = length
        probe.keyLength = Self.keyLength(length)
        let table = keyTable(probe.keyLength)
        unsafe sallyport_prefetch(pilots + pilotIndex(key, table) &* 2)
    }

    @inline(__always)
    func readPilot(_ probe: inout Probe) {
        let table = keyTable(probe.keyLength)
        let index = slotIndex(probe.key, table)
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
            if probe.key == 0 { return -1 }
            let part = probe.name & .suffixMask(probe.part)
            let isBelow = probe.key != probe.whole
            if isKey(at: probe.offset, probe.keyLength, part, isBelow: isBelow) { return probe.slot }
        }
        return unsafe number(inOneGo: name)
    }

    /// For the case that the filter was wrong about the first key, and for unusual names.
    @inline(never)
    private func number(inOneGo name: UnsafeRawBufferPointer) -> Int {
        guard let start = name.baseAddress else { return -1 }
        return unsafe firstPlace(start, count: name.count)?.number ?? -1
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
            length3: 0,
            length2: 0,
            length: 0,
            isUnusual: true
        )
    }
}
