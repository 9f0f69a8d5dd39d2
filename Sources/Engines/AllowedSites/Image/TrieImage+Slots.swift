/// The keys of one length.
struct KeyTable {
    /// Where the first slot begins in the image.
    let offset: UInt64
    let slotCount: UInt32
    let firstPilot: UInt32
    let pilotCount: UInt32
    /// The number of the first slot.
    let firstNumber: UInt32
}

extension TrieImage {
    /// What the image says of the keys of `length` bytes.
    @inline(__always)
    func keyTable(_ length: Int) -> KeyTable {
        assert(length >= 0 && length < Self.keyTableCount)
        // In bounds: the table has entries for all lengths that a host of 253 bytes can have, and its length was checked.
        let entry = unsafe keyTables + length &* Self.keyTableStride
        return unsafe KeyTable(
            offset: UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self)),
            slotCount: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
            firstPilot: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
            pilotCount: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
            firstNumber: UInt32(littleEndian: entry.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
        )
    }

    /// How many bytes a key for `length` bytes of a name takes.
    @inline(__always)
    static func keyLength(_ length: Int) -> Int { (length &* 6 &+ 9) &>> 3 }

    var isCompact: Bool { code != nil }

    /// The bits that a slot for keys of `length` bytes takes.
    @inline(__always)
    static func compactStride(_ length: Int, slots: UInt32) -> Int {
        max(length, HuffmanCode.minimumKeyLength) &* 8 &- KeyHash.impliedBits(slots: slots) &+ 2
    }

    /// The bytes that all slots of a table take.
    func slotBytes(_ table: KeyTable, keyLength length: Int) -> UInt64 {
        guard isCompact, length <= HuffmanCode.maximumKeyLength else { return UInt64(table.slotCount) * UInt64(length) }
        return (UInt64(table.slotCount) * UInt64(Self.compactStride(length, slots: table.slotCount)) + 7) / 8
    }

    /// The 64 bits that begin at bit `bit` of the image.
    @inline(__always)
    func bits(at bit: Int) -> UInt64 {
        assert(bit >= 0 && isInside(bit / 8, length: 9))
        let (place, shift) = (unsafe start + bit &>> 3, UInt64(truncatingIfNeeded: bit & 7))
        // In bounds: only called for bits of slots, and padding that is longer than a key follows them.
        let word = UInt64(littleEndian: unsafe place.loadUnaligned(as: UInt64.self))
        let last = unsafe UInt64(place.load(fromByteOffset: 8, as: UInt8.self))
        return word &>> shift | (last &<< 1) &<< (63 &- shift)
    }
}
