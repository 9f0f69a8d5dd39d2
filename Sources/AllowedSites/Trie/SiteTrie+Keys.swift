/// A place that has rules: a name, the names below one, or a network.
struct SitePlace {
    /// Its number; see ``TrieImage``.
    let number: Int
    /// Whether it has a list of rules; if not, its only rule is about https, port 443 and every path.
    let hasList: Bool
    /// The bytes of the name, or the bits of the network.
    let length: Int
    /// Whether it stands for the names below its name.
    let isBelow: Bool
}

extension TrieImage {
    /// The narrowest place for the name of `count` bytes at `name`, which must be canonical; upper case does no harm.
    ///
    /// - Complexity: one word of the filter or two, and in nearly every case at most one slot.
    @inline(__always)
    func firstPlace(_ name: UnsafeRawPointer, count: Int) -> SitePlace? {
        guard count > 0, count <= PackedName.maximumLength else {
            return unsafe placeOfUnusualName(UnsafeRawBufferPointer(start: name, count: count))
        }
        let name = unsafe PackedName(name, count: count)
        let whole = hash(name.low, name.middle, name.high)
        // The lengths of the last one, two and three labels.
        let dots = UInt64(name.dots)
        let dots2 = dots & (dots &- 1)
        let dots3 = dots2 & (dots2 &- 1)
        guard dots2 != 0 else { return placeOfShortName(name, count, whole, isSingle: dots == 0) }
        let length2 = dots2.trailingZeroBitCount
        let last2 = name.suffix(length2)
        let hash2 = hash(last2.low, last2.middle, last2.high)
        let word2 = filterWord(hash2)
        let length3: Int
        let hash3: UInt64
        if dots3 == 0 {
            (length3, hash3) = (count, whole)
        } else {
            length3 = dots3.trailingZeroBitCount
            let last3 = name.suffix(length3)
            hash3 = hash(last3.low, last3.middle, last3.high)
        }
        let word3 = filterWord(hash3)
        if Self.holds(word3, whole), let place = slot(whole, name.low, name.middle, name.high, count, isBelow: false) {
            return place
        }
        if dots3 != 0 {
            if depths & 16 != 0, let place = deepPlace(name, dots3 & (dots3 &- 1), word3) { return place }
            if Self.holds(word3, KeyHash.below(hash3)), depths & 8 != 0 {
                let last3 = name.suffix(length3)
                if let place = slot(KeyHash.below(hash3), last3.low, last3.middle, last3.high, length3, isBelow: true) {
                    return place
                }
            }
        }
        if Self.holds(word2, KeyHash.below(hash2)),
            let place = slot(KeyHash.below(hash2), last2.low, last2.middle, last2.high, length2, isBelow: true)
        {
            return place
        }
        return depths & 2 != 0 ? topPlace(name, dots.trailingZeroBitCount) : nil
    }

    /// A name of one label or two, which has no parents but a top-level domain.
    @inline(never)
    private func placeOfShortName(_ name: PackedName, _ count: Int, _ whole: UInt64, isSingle: Bool) -> SitePlace? {
        if Self.holds(filterWord(whole), whole),
            let place = slot(whole, name.low, name.middle, name.high, count, isBelow: false)
        {
            return place
        }
        return !isSingle && depths & 2 != 0 ? topPlace(name, UInt64(name.dots).trailingZeroBitCount) : nil
    }

    /// A wildcard above a single label, which lists have only where they say so.
    @inline(never)
    private func topPlace(_ name: PackedName, _ length: Int) -> SitePlace? {
        let last = name.suffix(length)
        let hash = hash(last.low, last.middle, last.high)
        guard Self.holds(filterWord(hash), KeyHash.below(hash)) else { return nil }
        return slot(KeyHash.below(hash), last.low, last.middle, last.high, length, isBelow: true)
    }

    /// A wildcard above four labels or more; `ends` has a bit for the length of each such parent.
    @inline(never)
    private func deepPlace(_ name: PackedName, _ ends: UInt64, _ word: UInt64) -> SitePlace? {
        var ends = ends
        while ends != 0 {
            let length = 63 &- ends.leadingZeroBitCount
            ends &= ~(1 &<< UInt64(length))
            let parent = name.suffix(length)
            let key = KeyHash.below(hash(parent.low, parent.middle, parent.high))
            if Self.holds(word, key),
                let place = slot(key, parent.low, parent.middle, parent.high, length, isBelow: true)
            {
                return place
            }
        }
        return nil
    }

    /// The word of the filter that a hash of last labels chooses.
    @inline(__always)
    func filterWord(_ hash: UInt64) -> UInt64 {
        // In bounds: `scaled` stays below the number of words.
        UInt64(littleEndian: unsafe filter.load(fromByteOffset: scaled(hash, to: filterWords) &* 8, as: UInt64.self))
    }

    @inline(__always)
    static func holds(_ word: UInt64, _ hash: UInt64) -> Bool {
        let bits = KeyHash.filterBits(hash)
        return word & bits == bits
    }

    /// How many bytes a key for `length` bytes of a name takes.
    @inline(__always)
    static func keyLength(_ length: Int) -> Int { (length &* 6 &+ 9) &>> 3 }

    /// The position in `table` of the only slot in which a key with this hash can stand.
    @inline(__always)
    func slotIndex(_ hash: UInt64, _ table: KeyTable) -> Int {
        let index = Int(table.firstPilot) &+ scaled(hash, to: table.pilotCount)
        // In bounds: the table was checked, and `scaled` stays below the number of pilots and of slots.
        let pilot = UInt16(littleEndian: unsafe pilots.load(fromByteOffset: index &* 2, as: UInt16.self))
        return KeyHash.slot(hash, pilot: pilot, slots: table.slotCount)
    }

    /// The place of a key of up to three words, compared in full.
    @inline(__always)
    private func slot(
        _ hash: UInt64,
        _ low: UInt64,
        _ middle: UInt64,
        _ high: UInt64,
        _ length: Int,
        isBelow: Bool
    ) -> SitePlace? {
        let keyLength = Self.keyLength(length)
        let table = keyTable(keyLength)
        let index = slotIndex(hash, table)
        let offset = Int(truncatingIfNeeded: table.offset) &+ index &* keyLength
        // In bounds: the slots lie inside their section, and more than 24 bytes follow the last one.
        let found = unsafe (
            UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
            UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)),
            UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self))
        )
        let bits = keyLength &* 8
        let difference =
            ((PackedName.lowest(bits, of: found.0) & ~2) ^ (low | (isBelow ? 1 : 0)))
            | (PackedName.lowest(bits &- 64, of: found.1) ^ middle)
            | (PackedName.lowest(bits &- 128, of: found.2) ^ high)
        guard difference == 0 else { return nil }
        return SitePlace(
            number: Int(table.firstNumber) &+ index,
            hasList: found.0 & 2 != 0,
            length: length,
            isBelow: isBelow
        )
    }
}
