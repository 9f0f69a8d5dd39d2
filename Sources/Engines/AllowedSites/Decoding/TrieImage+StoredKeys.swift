/// The content of a slot.
enum StoredKey {
    case none
    case broken
    case key(name: [UInt8], isBelow: Bool)
}

extension TrieImage {
    /// The content of slot `slot` in the table of keys of `length` bytes.
    func storedKey(_ table: KeyTable, _ length: Int, slot: Int) -> StoredKey {
        assert(slot >= 0 && slot < Int(table.slotCount))
        if let code, length <= HuffmanCode.maximumKeyLength { return compactKey(code, table, length, slot: slot) }
        let offset = Int(table.offset) + slot * length
        if (0..<length).allSatisfy({ byte(at: offset + $0) == 0 }) { return .none }
        guard let name = name(at: offset, length), Self.keyLength(name.count) == length else { return .broken }
        return .key(name: name, isBelow: byte(at: offset) & 1 != 0)
    }

    /// The name in the slot at `offset`, or `nil` if its bytes are not a key.
    private func name(at offset: Int, _ length: Int) -> [UInt8]? {
        // One or two name lengths have this key length. Of two, only the longer name has bits at the end of the key.
        let longest = (length * 8 - 2) / 6
        let count = sixBits(longest - 1, at: offset) == 0 ? longest - 1 : longest
        assert(count >= 0 && isInside(offset, length: length), "callers pass slots")
        guard count > 0 else { return nil }
        var name: [UInt8] = []
        name.reserveCapacity(count)
        // Names are packed from their end.
        for index in (0..<count).reversed() {
            guard let byte = PackedName.byte(of: sixBits(index, at: offset)) else { return nil }
            name.append(byte)
        }
        return name
    }

    /// The six bits of byte `index` of the key at `offset`, counted from the end of its name.
    private func sixBits(_ index: Int, at offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: bits(at: offset * 8 + 2 + index * 6)) & 0x3f
    }

    private func byte(at offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits(at: offset * 8)) }

    /// The key in slot `slot`, rebuilt from the stored quotient and the remainder that the slot implies.
    func compactKey(_ code: HuffmanCode, _ table: KeyTable, _ length: Int, slot: Int) -> StoredKey {
        let stride = Self.compactStride(length, slots: table.slotCount)
        let bit = Int(table.offset) * 8 + slot * stride
        if bits(at: bit) & 1 == 0 {
            let isZero = Swift.stride(from: 0, to: stride, by: 64).allSatisfy {
                bits(at: bit + $0) & PackedName.lowest(stride - $0, of: ~0) == 0
            }
            return isZero ? .none : .broken
        }
        let implied = KeyHash.impliedBits(slots: table.slotCount)
        let (rest, left) = (bit + 66 - implied, length * 8 - 64)
        func word(_ index: Int) -> UInt64 {
            bits(at: rest + index * 64) & PackedName.lowest(left - index * 64, of: ~0)
        }
        var words = NameWords(low: 0, middle: word(0), high: word(1), top: word(2))
        words.low = (bits(at: bit + 2) & (~0 >> UInt64(implied))) << UInt64(implied)
        let pilot = pilot(words.low, table)
        let base = KeyHash.compactSlot(words.low, pilot: pilot, slots: table.slotCount)
        let moved = slot >= base ? slot - base : slot - base + Int(table.slotCount)
        assert(moved >= 0 && moved < Int(table.slotCount))
        guard moved < 1 << implied else { return .broken }
        words.low |= UInt64(moved)
        hash.unmix(&words)
        guard let (name, isBelow) = code.name(words) else { return .broken }
        return .key(name: name, isBelow: isBelow)
    }
}
