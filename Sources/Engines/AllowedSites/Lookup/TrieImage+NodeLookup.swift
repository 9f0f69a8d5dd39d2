extension TrieImage {
    /// The narrowest place for the name of `count` bytes at `name`, which must be canonical; upper case does no harm.
    ///
    /// - Complexity: one word of the filter or two, and in nearly every case at most one slot.
    @inline(__always)
    func narrowestNode(_ name: UnsafeRawPointer, count: Int) -> TrieNode? {
        guard count > 0, count <= PackedName.maximumLength else {
            return unsafe nodeOfLongName(UnsafeRawBufferPointer(start: name, count: count))
        }
        let name = unsafe PackedName(name, count: count)
        let whole = hash(name.words, length: count)
        let dots2 = name.dots & (name.dots &- 1)
        guard dots2 != 0 else { return nodeOfShortName(name, count, whole) }
        let dots3 = dots2 & (dots2 &- 1)
        // The narrowest parent above which wildcards are usual: the last three labels, or two where that is the whole name. No
        // branch, since lists have both kinds of names.
        let length = (dots3 != 0 ? dots3 : dots2).trailingZeroBitCount
        let parent = suffix(name, length)
        let parentHash = hash(parent, length: length)
        let narrowest = KeyHash.below(parentHash)
        let word = filterWord(dots3 != 0 ? parentHash : whole)
        if Self.holds(word, whole), let place = slot(whole, name.words, count, isBelow: false) { return place }
        if dots3 == 0 {
            guard Self.holds(filterWord(parentHash), narrowest),
                let place = slot(narrowest, parent, length, isBelow: true)
            else { return hasTopWildcards ? topLevelWildcard(name) : nil }
            return place
        }
        let dots4 = dots3 & (dots3 &- 1)
        if hasDeepWildcards, dots4 != 0, let place = deepWildcard(name, dots4, word) { return place }
        if Self.holds(word, narrowest), let place = slot(narrowest, parent, length, isBelow: true) { return place }
        let length2 = dots2.trailingZeroBitCount
        let last2 = suffix(name, length2)
        let hash2 = hash(last2, length: length2)
        let key = KeyHash.below(hash2)
        if Self.holds(filterWord(hash2), key), let place = slot(key, last2, length2, isBelow: true) { return place }
        return hasTopWildcards ? topLevelWildcard(name) : nil
    }

    /// The last `length` bytes of a name.
    @inline(__always)
    private func suffix(_ name: PackedName, _ length: Int) -> NameWords {
        name.words & .suffixMask(length)
    }

    /// A name of one label or two, which has no parents but a top-level domain.
    @inline(__always)
    private func nodeOfShortName(_ name: PackedName, _ count: Int, _ whole: UInt64) -> TrieNode? {
        if Self.holds(filterWord(whole), whole), let place = slot(whole, name.words, count, isBelow: false) {
            return place
        }
        return name.dots != 0 && hasTopWildcards ? topLevelWildcard(name) : nil
    }

    /// A wildcard above a single label, which lists have only where they say so.
    @inline(never)
    private func topLevelWildcard(_ name: PackedName) -> TrieNode? {
        let length = name.dots.trailingZeroBitCount
        let last = suffix(name, length)
        let hash = hash(last, length: length)
        guard Self.holds(filterWord(hash), KeyHash.below(hash)) else { return nil }
        return slot(KeyHash.below(hash), last, length, isBelow: true)
    }

    /// A wildcard above four labels or more; `ends` has a bit for the length of each such parent, and `word` is the word of the
    /// filter for the last three labels.
    @inline(never)
    private func deepWildcard(_ name: PackedName, _ ends: UInt64, _ word: UInt64) -> TrieNode? {
        var ends = ends
        var labels = name.dots.nonzeroBitCount
        while ends != 0 {
            let length = 63 &- ends.leadingZeroBitCount
            ends &= ~(1 &<< UInt64(length))
            defer { labels &-= 1 }
            guard wildcards.contains(labels) else { continue }
            let parent = suffix(name, length)
            let base = hash(parent, length: length)
            let key = KeyHash.below(base)
            let word = labels > LabelCounts.shared ? filterWord(base) : word
            if Self.holds(word, key), let place = slot(key, parent, length, isBelow: true) { return place }
        }
        return nil
    }

    /// The word of the filter that a hash of last labels chooses.
    @inline(__always)
    func filterWord(_ hash: UInt64) -> UInt64 {
        assert(scaled(hash, to: filterWords) < Int(filterWords))
        // In bounds: `scaled` stays below the number of words.
        return UInt64(
            littleEndian: unsafe filter.load(fromByteOffset: scaled(hash, to: filterWords) &* 8, as: UInt64.self)
        )
    }

    @inline(__always)
    static func holds(_ word: UInt64, _ hash: UInt64) -> Bool {
        let bits = KeyHash.filterBits(hash)
        return word & bits == bits
    }

    /// Where the pilot of a key with this hash stands among all pilots.
    @inline(__always)
    func pilotIndex(_ hash: UInt64, _ table: KeyTable) -> Int {
        Int(table.firstPilot) &+ scaled(hash, to: table.pilotCount)
    }

    /// The position in `table` of the only slot in which a key with this hash can stand.
    @inline(__always)
    func slotIndex(_ hash: UInt64, _ table: KeyTable) -> Int {
        let index = pilotIndex(hash, table)
        assert(isPilot(index))
        // In bounds: the table was checked, and `scaled` stays below the number of pilots and of slots.
        let pilot = UInt16(littleEndian: unsafe pilots.load(fromByteOffset: index &* 2, as: UInt16.self))
        return KeyHash.slot(hash, pilot: pilot, slots: table.slotCount)
    }

    /// The place of a key of up to four words, compared in full.
    @inline(__always)
    private func slot(_ hash: UInt64, _ name: NameWords, _ length: Int, isBelow: Bool) -> TrieNode? {
        if let code { return compactNode(code, name, length, isBelow: isBelow) }
        let keyLength = Self.keyLength(length)
        let table = keyTable(keyLength)
        let index = slotIndex(hash, table)
        let offset = Int(truncatingIfNeeded: table.offset) &+ index &* keyLength
        assert(index < Int(table.slotCount))
        guard isKey(at: offset, keyLength, name, isBelow: isBelow) else { return nil }
        return TrieNode(
            number: Int(table.firstNumber) &+ index,
            // In bounds, as for the whole key.
            hasList: unsafe start.load(fromByteOffset: offset, as: UInt8.self) & 2 != 0,
            length: length,
            isBelow: isBelow
        )
    }

    /// Whether the slot at `offset` holds the key for this name, whatever its place's mark of a list.
    @inline(__always)
    func isKey(at offset: Int, _ keyLength: Int, _ name: NameWords, isBelow: Bool) -> Bool {
        assert(isInside(offset, length: 32) && keyLength <= 32)
        let key = unsafe start + offset
        // In bounds: the slots lie inside their section, more than 32 bytes follow the last one, and a key for 42 bytes of a
        // name has 32.
        let found = unsafe NameWords(
            low: UInt64(littleEndian: key.loadUnaligned(as: UInt64.self)),
            middle: UInt64(littleEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
            high: UInt64(littleEndian: key.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
            top: UInt64(littleEndian: key.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        )
        let kept = found & .keyMask(keyLength)
        let flag: UInt64 = isBelow ? 1 : 0
        var difference = (kept.low & ~2) ^ (name.low | flag)
        difference |= kept.middle ^ name.middle
        difference |= kept.high ^ name.high
        difference |= kept.top ^ name.top
        return difference == 0
    }
}
