/// The perfect-hash table of the keys of one length.
struct KeyTable {
    /// The offset of the first slot in the image.
    let offset: UInt64
    let slotCount: UInt32
    let firstPilot: UInt32
    let pilotCount: UInt32
    /// The number of the first slot.
    let firstNumber: UInt32
}

extension TrieImage {
    /// The table of the keys of `length` bytes.
    @inline(__always)
    func keyTable(_ length: Int) -> KeyTable {
        assert(length >= 0 && length < Self.keyTableCount)
        // In bounds: the section has an entry for each key length of a host of up to 253 bytes, and its length was
        // checked.
        let entry = unsafe keyTables + length &* Self.keyTableStride
        return unsafe KeyTable(
            offset: UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self)),
            slotCount: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
            firstPilot: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
            pilotCount: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
            firstNumber: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
        )
    }

    /// The size of the key of a name of `length` bytes, in bytes.
    @inline(__always)
    static func keyLength(_ length: Int) -> Int {
        assert(length >= 0 && (length * 6 + 9) >> 3 < keyTableCount)
        return (length &* 6 &+ 9) &>> 3
    }

    var isCompact: Bool { code != nil }

    /// The size of a slot for keys of `length` bytes in the compact layout, in bits.
    @inline(__always)
    static func compactStride(_ length: Int, slots: UInt32) -> Int {
        assert(length <= HuffmanCode.maximumKeyLength)
        return max(length, HuffmanCode.minimumKeyLength) &* 8 &- KeyHash.impliedBits(slots: slots) &+ 2
    }

    /// The size of all slots of a table in bytes.
    func slotBytes(_ table: KeyTable, keyLength length: Int) -> UInt64 {
        guard isCompact, length <= HuffmanCode.maximumKeyLength else { return UInt64(table.slotCount) * UInt64(length) }
        return (UInt64(table.slotCount) * UInt64(Self.compactStride(length, slots: table.slotCount)) + 7) / 8
    }

    /// The 64 bits that begin at bit `bit` of the image.
    @inline(__always)
    func bits(at bit: Int) -> UInt64 {
        assert(bit >= 0 && isInside(bit / 8, length: 9))
        let (place, shift) = (unsafe start + bit &>> 3, UInt64(truncatingIfNeeded: bit & 7))
        // In bounds: callers pass bits of slots, and the padding behind the slots is longer than a key.
        let word = UInt64(littleEndian: unsafe place.loadUnaligned(as: UInt64.self))
        let last = unsafe UInt64(place.load(fromByteOffset: 8, as: UInt8.self))
        return word &>> shift | (last &<< 1) &<< (63 &- shift)
    }
}
