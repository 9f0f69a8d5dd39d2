extension TrieImage {
    /// The narrowest node of a name of more than 42 bytes.
    @inline(never)
    func nodeOfLongName(_ name: Span<UInt8>) -> TrieNode? {
        guard name.count > 0, name.count <= LongName.maximumLength else { return nil }
        return LongName.with(name, hash) { name in
            node(name, name.count, isBelow: false) ?? nextWiderNode(name, below: name.count)
        }
    }

    /// The narrowest wildcard above a suffix of `name` with fewer than `length` bytes.
    func nextWiderNode(_ name: borrowing LongName, below length: Int) -> TrieNode? {
        // Parents with more labels than the deepest wildcard are skipped.
        let deepest = wildcards.greatest
        let longest = deepest < 16 ? min(length, name.length(ofLabels: deepest) &+ 1) : length
        let last3 = name.length(ofLabels: 3)
        let word3 = filterWord(name.hash(ofSuffix: last3, hash))
        var suffixes = name.suffixes(below: longest)
        if deepest > LabelCounts.shared {
            // A name can have more than a hundred such parents, so C walks them.
            var wanted = wantedParents
            while let (length, key) = suffixes.nextDeep(&wanted) {
                if let node = slot(name, key, length, isBelow: true) { return node }
            }
        }
        while let (length, labels) = suffixes.next() {
            guard wildcards.contains(labels) else { continue }
            let base = name.hash(ofSuffix: length, hash)
            let key = KeyHash.below(base)
            let hasSharedWord = labels <= LabelCounts.shared && length >= last3
            guard Self.holds(hasSharedWord ? word3 : filterWord(base), key) else { continue }
            if let node = slot(name, key, length, isBelow: true) { return node }
        }
        return nil
    }

    /// The node of the last `length` bytes of `name`.
    func node(_ name: borrowing LongName, _ length: Int, isBelow: Bool) -> TrieNode? {
        // A copy, because the closure of `assert` cannot capture a borrowed value.
        let count = name.count
        assert(length > 0 && length <= count)
        let base = name.hash(ofSuffix: length, hash)
        let key = isBelow ? KeyHash.below(base) : base
        let shared = name.length(ofLabels: LabelCounts.shared)
        let group = isBelow && length > shared ? length : min(length, name.length(ofLabels: 3))
        guard Self.holds(filterWord(name.hash(ofSuffix: group, hash)), key) else { return nil }
        return slot(name, key, length, isBelow: isBelow)
    }

    /// The node of the last `length` bytes of `name`, whose key has the hash `key`. The key is compared in full.
    private func slot(_ name: borrowing LongName, _ key: UInt64, _ length: Int, isBelow: Bool) -> TrieNode? {
        if let code, length <= PackedName.maximumLength {
            let words = NameWords(
                low: name.word(0, ofSuffix: length),
                middle: name.word(1, ofSuffix: length),
                high: name.word(2, ofSuffix: length),
                top: name.word(3, ofSuffix: length)
            )
            return compactNode(code, words, length, isBelow: isBelow)
        }
        let keyLength = Self.keyLength(length)
        let table = keyTable(keyLength)
        let index = slotIndex(key, table)
        assert(index < Int(table.slotCount))
        var hasList = false
        for word in 0..<(keyLength + 7) / 8 {
            let found = keyWord(at: Int(table.offset) + index * keyLength + word * 8)
            var kept = PackedName.lowest(keyLength * 8 - word * 64, of: found)
            var expected = name.word(word, ofSuffix: length)
            if word == 0 {
                hasList = kept & 2 != 0
                kept &= ~2
                if isBelow { expected |= 1 }
            }
            guard kept == expected else { return nil }
        }
        return TrieNode(number: Int(table.firstNumber) + index, hasList: hasList, length: length, isBelow: isBelow)
    }
}
