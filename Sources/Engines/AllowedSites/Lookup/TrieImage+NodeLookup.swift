internal import PerfectHash

extension TrieImage {
    /// The narrowest node of a name: the name itself, or the longest parent with a wildcard above it.
    ///
    /// ```text
    /// lookup(name):                              example: a.b.host.example
    ///   block = filter[hash(last 3 labels)]
    ///   if block has key(name): probe(name)                     a.b.host.example
    ///   for each parent with 4 or more labels,                  (only if the list has such wildcards)
    ///       longest first:
    ///     if its block has key(*.parent): probe(*.parent)
    ///   if block has key(*.last 3 labels): probe                *.b.host.example
    ///   block = filter[hash(last 2 labels)]
    ///   if block has key(*.last 2 labels): probe                *.host.example
    ///   block = filter[hash(last label)]
    ///   if block has key(*.last label): probe                   *.example (only if the list has such wildcards)
    ///
    /// probe(key):                                the perfect-hash table of keys of this length
    ///   pilot = pilots[first pilot + scale(hash(key), pilots of the table)]
    ///   slot  = scale((hash(key) ^ pilot) * constant, slots of the table)
    ///   return the node of the slot if the slot holds exactly this key
    /// ```
    ///
    /// - Parameter bytes: a canonical name; upper case is allowed.
    /// - Complexity: one or two blocks of the filter, more with wildcards over top-level domains or five labels, and, except for false positives, at most one slot.
    @inline(__always)
    func narrowestNode(_ bytes: Span<UInt8>) -> TrieNode? {
        guard let name = PackedName(bytes) else { return nodeOfLongName(bytes) }
        let count = bytes.count
        let whole = hash(name.words, length: count)
        let dots2 = name.dots & (name.dots &- 1)
        guard dots2 != 0 else { return nodeOfShortName(name, count, whole) }
        let dots3 = dots2 & (dots2 &- 1)
        // The longest parent that commonly has a wildcard: the last three labels, or two if the name has three. No
        // branch, because lists have both kinds of names.
        let length = (dots3 != 0 ? dots3 : dots2).trailingZeroBitCount
        assert(length < count, "a parent is shorter than the name")
        let parent = suffix(name, length)
        let parentHash = hash(parent, length: length)
        let narrowest = KeyHash.below(parentHash)
        let word = filterWord(dots3 != 0 ? parentHash : whole)
        if Self.holds(word, whole), let node = slot(whole, name.words, count, isBelow: false) { return node }
        if dots3 == 0 {
            guard Self.holds(filterWord(parentHash), narrowest),
                let node = slot(narrowest, parent, length, isBelow: true)
            else { return hasTopWildcards ? topLevelWildcard(name) : nil }
            return node
        }
        let dots4 = dots3 & (dots3 &- 1)
        if hasDeepWildcards, dots4 != 0, let node = deepWildcard(name, dots4, word) { return node }
        if Self.holds(word, narrowest), let node = slot(narrowest, parent, length, isBelow: true) { return node }
        let length2 = dots2.trailingZeroBitCount
        let last2 = suffix(name, length2)
        let hash2 = hash(last2, length: length2)
        let key = KeyHash.below(hash2)
        if Self.holds(filterWord(hash2), key), let node = slot(key, last2, length2, isBelow: true) { return node }
        return hasTopWildcards ? topLevelWildcard(name) : nil
    }

    /// The last `length` bytes of a name.
    @inline(__always)
    private func suffix(_ name: PackedName, _ length: Int) -> NameWords {
        name.words & .suffixMask(length)
    }

    /// The node of a name of one or two labels, whose only parent is a top-level domain.
    @inline(__always)
    private func nodeOfShortName(_ name: PackedName, _ count: Int, _ whole: UInt64) -> TrieNode? {
        if Self.holds(filterWord(whole), whole), let node = slot(whole, name.words, count, isBelow: false) {
            return node
        }
        return name.dots != 0 && hasTopWildcards ? topLevelWildcard(name) : nil
    }

    /// The wildcard above the last label, such as `*.com`; lists need a directive for it.
    @inline(never)
    private func topLevelWildcard(_ name: PackedName) -> TrieNode? {
        let length = name.dots.trailingZeroBitCount
        let last = suffix(name, length)
        let hash = hash(last, length: length)
        guard Self.holds(filterWord(hash), KeyHash.below(hash)) else { return nil }
        return slot(KeyHash.below(hash), last, length, isBelow: true)
    }

    /// The longest wildcard above four or more labels.
    ///
    /// - Parameters:
    ///   - ends: one bit for the length of each such parent.
    ///   - word: the filter block of the last three labels.
    @inline(never)
    private func deepWildcard(_ name: PackedName, _ ends: UInt64, _ word: UInt64) -> TrieNode? {
        var ends = ends
        var labels = name.dots.nonzeroBitCount
        while ends != 0 {
            let length = 63 &- ends.leadingZeroBitCount
            ends &= ~(1 &<< UInt64(length))
            assert(labels >= LabelCounts.shared, "the first three labels are not among the ends")
            defer { labels &-= 1 }
            guard wildcards.contains(labels) else { continue }
            let parent = suffix(name, length)
            let base = hash(parent, length: length)
            let key = KeyHash.below(base)
            let word = labels > LabelCounts.shared ? filterWord(base) : word
            if Self.holds(word, key), let node = slot(key, parent, length, isBelow: true) { return node }
        }
        return nil
    }

    @inline(__always)
    static func holds(_ word: UInt64, _ hash: UInt64) -> Bool {
        let bits = KeyHash.filterBits(hash)
        return word & bits == bits
    }

    /// The only slot of `table` that can hold a key with this hash.
    @inline(__always)
    func slotIndex(_ hash: UInt64, _ table: KeyTable) -> Int {
        slotOfSite(hash, pilot: pilot(hash, table), slots: table.slotCount)
    }

    /// The node of a key of up to four words. The key is compared in full.
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
            hasList: keyFlags(at: offset) & 2 != 0,
            length: length,
            isBelow: isBelow
        )
    }

    /// Whether the slot at `offset` holds the key of this name; the flag of the rule list is ignored.
    @inline(__always)
    func isKey(at offset: Int, _ keyLength: Int, _ name: NameWords, isBelow: Bool) -> Bool {
        assert(keyLength <= 32)
        let kept = keyWords(at: offset) & .keyMask(keyLength)
        let flag: UInt64 = isBelow ? 1 : 0
        var difference = (kept.low & ~2) ^ (name.low | flag)
        difference |= kept.middle ^ name.middle
        difference |= kept.high ^ name.high
        difference |= kept.top ^ name.top
        return difference == 0
    }
}
