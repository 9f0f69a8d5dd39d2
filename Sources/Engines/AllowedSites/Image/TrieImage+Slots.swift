internal import PerfectHash

/// The perfect-hash table of the keys of one length.
///
/// Only an image makes tables, and opening the image compares each of them with the sections of keys and pilots.
struct KeyTable {
    /// The offset of the first slot in the image.
    let offset: UInt64
    let slotCount: UInt32
    let firstPilot: UInt32
    let pilotCount: UInt32
    /// The number of the first slot.
    let firstNumber: UInt32

    @inline(__always)
    fileprivate init(at entry: UnsafeRawPointer) {
        // In bounds: an entry has `keyTableStride` bytes.
        offset = UInt64(littleEndian: unsafe entry.loadUnaligned(as: UInt64.self))
        slotCount = UInt32(littleEndian: unsafe entry.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        firstPilot = UInt32(littleEndian: unsafe entry.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        pilotCount = UInt32(littleEndian: unsafe entry.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        firstNumber = UInt32(littleEndian: unsafe entry.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    }
}

/// What a lookup reads of an image: tables, pilots, slots and the Bloom filter.
///
/// Reads are in bounds, because opening compared the tables with their sections (`checkKeyTables`), `scaled` is below the number that
/// it scales to, and ``keyPadding`` bytes follow the last slot. Offsets of slots come from a table and a number below its slots.
extension TrieImage {
    /// The table of the keys of `length` bytes.
    @inline(__always)
    func keyTable(_ length: Int) -> KeyTable {
        assert(length >= 0 && length < Self.keyTableCount)
        // In bounds: the section has an entry for each key length of a host of up to 253 bytes, and its length was
        // checked.
        return unsafe KeyTable(at: keyTables + length &* Self.keyTableStride)
    }

    /// The pilot of a key with this hash.
    @inline(__always)
    func pilot(_ hash: UInt64, _ table: KeyTable) -> UInt16 {
        let index = Int(table.firstPilot) &+ scaled(hash, to: table.pilotCount)
        assert(isPilot(index))
        // In bounds: opening checked the table, and `scaled` is below the number of its pilots.
        return UInt16(littleEndian: unsafe pilots.load(fromByteOffset: index &* 2, as: UInt16.self))
    }

    /// The filter block that the hash of the last labels chooses.
    @inline(__always)
    func filterWord(_ hash: UInt64) -> UInt64 {
        assert(scaled(hash, to: filterWords) < Int(filterWords))
        // In bounds: `scaled` is below the number of blocks.
        return UInt64(
            littleEndian: unsafe filter.load(fromByteOffset: scaled(hash, to: filterWords) &* 8, as: UInt64.self)
        )
    }

    /// The filter for the walk over the parents of a long name.
    var wantedParents: LongName.WantedParents {
        // In bounds: the section has this number of blocks.
        unsafe LongName.WantedParents(filter: filter, filterWords: filterWords, wildcards, multiplier: hash.third)
    }

    /// The flags of the key in the slot at `offset`: bit 0, the names below the name; bit 1, a rule list.
    @inline(__always)
    func keyFlags(at offset: Int) -> UInt8 {
        assert(isInside(offset, length: 1))
        // In bounds: the slot lies inside its section.
        return unsafe start.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// The eight bytes at `offset`, which lies in a slot.
    @inline(__always)
    func keyWord(at offset: Int) -> UInt64 {
        assert(isInside(offset, length: 8))
        // In bounds: the padding behind the slots is longer than a key.
        return UInt64(littleEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The four words at `offset`, where a slot begins.
    @inline(__always)
    func keyWords(at offset: Int) -> NameWords {
        assert(isInside(offset, length: 32))
        let key = unsafe start + offset
        // In bounds: the slot lies inside its section, and more than 32 bytes follow the last slot.
        return unsafe NameWords(
            low: UInt64(littleEndian: key.loadUnaligned(as: UInt64.self)),
            middle: UInt64(littleEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
            high: UInt64(littleEndian: key.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
            top: UInt64(littleEndian: key.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
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
