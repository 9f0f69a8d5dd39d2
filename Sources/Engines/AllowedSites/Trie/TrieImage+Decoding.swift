internal import Hostnames

extension TrieImage {
    /// The rule with this number, made anew from its place and its constraint, or `nil` if there is none.
    func rule(_ number: Int) -> SiteRule? {
        guard number >= 0 else { return nil }
        let placeCount = slotCount + networkCount
        if number < placeCount {
            guard listIndex(ofPlace: number) == nil, let place = place(number) else { return nil }
            return SiteRule(isException: false, schemes: .https, place: place, port: .schemeDefault, path: nil)
        }
        let rule = number - placeCount
        guard rule < listRuleCount, let place = place(placeWithList(listOf(rule))) else { return nil }
        let constraint = constraint(ofRule: rule)
        return SiteRule(
            isException: constraint.isException,
            schemes: constraint.schemes,
            place: place,
            port: constraint.port,
            path: constraint.path == 0 ? nil : path(constraint.path)
        )
    }

    /// The canonical prefix that a path is, if it is one.
    func path(_ path: Int) -> PathPrefix? {
        let text = unsafe String(decoding: pathBytes(path), as: UTF8.self)
        guard PathDoubt.first(in: text) == nil, let prefix = PathPrefix(certain: text) else { return nil }
        return prefix.text == text ? prefix : nil
    }

    /// The place with this number, or `nil` for an empty slot.
    func place(_ number: Int) -> SiteRule.Place? {
        if number >= slotCount { return network(at: number - slotCount) }
        for length in 1..<Self.keyTableCount {
            let table = keyTable(length)
            let first = Int(table.firstNumber)
            // Lengths without keys share one slot, whose number is no key's.
            if number >= first, number < first + Int(table.slotCount), first < slotCount {
                guard case .key(let name, let isBelow) = storedKey(table, length, slot: number - first) else {
                    return nil
                }
                return isBelow ? .below(name) : .name(name)
            }
        }
        return nil
    }

    /// What slot `slot` of the keys of `length` bytes says.
    func storedKey(_ table: KeyTable, _ length: Int, slot: Int) -> StoredKey {
        if let code, length <= NameCode.maximumKeyLength { return compactKey(code, table, length, slot: slot) }
        let offset = Int(table.offset) + slot * length
        if (0..<length).allSatisfy({ byte(at: offset + $0) == 0 }) { return .none }
        guard let name = name(at: offset, length), Self.keyLength(name.count) == length else { return .broken }
        return .key(name: name, isBelow: byte(at: offset) & 1 != 0)
    }

    /// The name in the slot at `offset`, or `nil` if there is none.
    private func name(at offset: Int, _ length: Int) -> [UInt8]? {
        // Names of one length or of two have keys of this length; of two, the longer one has bits where the other has none.
        let longest = (length * 8 - 2) / 6
        let count = sixBits(longest - 1, at: offset) == 0 ? longest - 1 : longest
        var isName = count > 0
        let name = unsafe [UInt8](unsafeUninitializedCapacity: count) { name, initialized in
            for index in 0..<count {
                let byte = PackedName.byte(of: sixBits(index, at: offset))
                // In bounds: the index is below the count. Names are packed from their end on.
                unsafe name[count - 1 - index] = byte ?? 0
                isName = isName && byte != nil
            }
            initialized = count
        }
        return isName ? name : nil
    }

    /// The six bits of byte `index` of the key at `offset`, counted from the end of its name.
    private func sixBits(_ index: Int, at offset: Int) -> UInt8 {
        let bit = 2 + index * 6
        // In bounds: only called for the bytes of slots, and one behind them, which padding follows.
        let pair = UInt16(littleEndian: unsafe start.loadUnaligned(fromByteOffset: offset + bit / 8, as: UInt16.self))
        return UInt8(truncatingIfNeeded: pair >> UInt16(bit % 8)) & 0x3f
    }

    private func byte(at offset: Int) -> UInt8 {
        // In bounds: only called for the bytes of slots.
        unsafe start.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// The list in which a rule stands.
    private func listOf(_ rule: Int) -> Int {
        last(below: listCount) { Int(load(UInt32.self, .listStarts, at: $0 * 4)) <= rule }
    }

    /// The place to which a list belongs.
    func placeWithList(_ list: Int) -> Int {
        let groups = unsafe bytes(.listMarks).count / 12
        let group = last(below: groups) { Int(load(UInt32.self, .listMarks, at: $0 * 12 + 8)) <= list }
        var marks = load(UInt64.self, .listMarks, at: group * 12)
        var left = list - Int(load(UInt32.self, .listMarks, at: group * 12 + 8))
        while left > 0, marks != 0 {
            marks &= marks - 1
            left -= 1
        }
        return group * 64 + marks.trailingZeroBitCount
    }

    /// The last number below `count` for which `isBefore` holds; it holds for 0, and where it fails it fails for all behind.
    private func last(below count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var (first, length) = (0, count)
        while length > 1 {
            let half = length / 2
            if isBefore(first + half) { first += half }
            length -= half
        }
        return first
    }
}
