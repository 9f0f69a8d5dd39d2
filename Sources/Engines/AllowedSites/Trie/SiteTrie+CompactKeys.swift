/// Keys of the compact layout: coded names without the bits that their slots imply.
///
/// ```text
/// bit 0   whether the slot is taken
/// bit 1   whether the key's place has a list of rules
/// bit 2   the coded name, its lowest word mixed and without its *k* lowest bits; *k* is the number of whole bits that a
///         slot's number has
/// ```
///
/// The lowest word of a coded name is mixed with the others so that all its bits look like chance, in a way that can be
/// undone. Of the mixed word the upper half chooses a pilot. Pilot and all bits but the *k* lowest make a distance, and the
/// *k* lowest bits, moved by it, are the slot. So two keys with the same stored bits in the same slot have the same
/// distance and the same *k* bits, and are one: a lookup still compares everything.
extension TrieImage {
    var isCompact: Bool { code != nil }

    /// How many bits of a key its slot implies.
    @inline(__always)
    static func impliedBits(slots: UInt32) -> Int { 31 &- min(slots.leadingZeroBitCount, 31) }

    /// The bits that a slot for keys of `length` bytes takes.
    @inline(__always)
    static func compactStride(_ length: Int, slots: UInt32) -> Int {
        max(length, NameCode.minimumKeyLength) &* 8 &- impliedBits(slots: slots) &+ 2
    }

    /// The bytes that all slots of a table take.
    func slotBytes(_ table: KeyTable, keyLength length: Int) -> UInt64 {
        guard isCompact, length <= NameCode.maximumKeyLength else { return UInt64(table.slotCount) * UInt64(length) }
        return (UInt64(table.slotCount) * UInt64(Self.compactStride(length, slots: table.slotCount)) + 7) / 8
    }

    /// The place of a key of up to four words, compared in full.
    @inline(never)
    func compactPlace(_ code: NameCode, _ name: NameWords, _ length: Int, isBelow: Bool) -> SitePlace? {
        guard var coded = code.code(name, length: length, isBelow: isBelow) else { return nil }
        hash.mix(&coded.words)
        let keyLength = coded.keyLength
        let table = keyTable(keyLength)
        let implied = Self.impliedBits(slots: table.slotCount)
        let index = pilotIndex(coded.words.low, table)
        // In bounds: the table was checked, and `scaled` stays below the number of pilots.
        let pilot = UInt16(littleEndian: unsafe pilots.load(fromByteOffset: index &* 2, as: UInt16.self))
        let slot = KeyHash.compactSlot(coded.words.low, pilot: pilot, slots: table.slotCount)
        let bit = Int(table.offset) &* 8 &+ slot &* Self.compactStride(keyLength, slots: table.slotCount)
        let flags = bits(at: bit)
        guard flags & 1 != 0,
            bits(at: bit &+ 2) & (~0 &>> UInt64(implied)) == coded.words.low &>> UInt64(implied)
        else { return nil }
        let left = keyLength &* 8 &- 64
        let rest = bit &+ 66 &- implied
        var difference = left > 0 ? (bits(at: rest) & PackedName.lowest(left, of: ~0)) ^ coded.words.middle : 0
        if left > 64 {
            difference |= (bits(at: rest &+ 64) & PackedName.lowest(left &- 64, of: ~0)) ^ coded.words.high
            difference |= (bits(at: rest &+ 128) & PackedName.lowest(left &- 128, of: ~0)) ^ coded.words.top
        }
        guard difference == 0 else { return nil }
        return SitePlace(
            number: Int(table.firstNumber) &+ slot,
            hasList: flags & 2 != 0,
            length: length,
            isBelow: isBelow
        )
    }

    /// The coded name in slot `slot` of the keys of `length` bytes, made anew from what is kept and what the slot implies.
    func compactKey(_ code: NameCode, _ table: KeyTable, _ length: Int, slot: Int) -> StoredKey {
        let stride = Self.compactStride(length, slots: table.slotCount)
        let bit = Int(table.offset) * 8 + slot * stride
        if bits(at: bit) & 1 == 0 {
            let isZero = Swift.stride(from: 0, to: stride, by: 64).allSatisfy {
                bits(at: bit + $0) & PackedName.lowest(stride - $0, of: ~0) == 0
            }
            return isZero ? .none : .broken
        }
        let implied = Self.impliedBits(slots: table.slotCount)
        let (rest, left) = (bit + 66 - implied, length * 8 - 64)
        func word(_ index: Int) -> UInt64 {
            bits(at: rest + index * 64) & PackedName.lowest(left - index * 64, of: ~0)
        }
        var words = NameWords(low: 0, middle: word(0), high: word(1), top: word(2))
        words.low = (bits(at: bit + 2) & (~0 >> UInt64(implied))) << UInt64(implied)
        let pilotPlace = pilotIndex(words.low, table)
        // In bounds, as above.
        let pilot = UInt16(littleEndian: unsafe pilots.load(fromByteOffset: pilotPlace * 2, as: UInt16.self))
        let base = KeyHash.compactSlot(words.low, pilot: pilot, slots: table.slotCount)
        let moved = slot >= base ? slot - base : slot - base + Int(table.slotCount)
        guard moved < 1 << implied else { return .broken }
        words.low |= UInt64(moved)
        hash.unmix(&words)
        guard let (name, isBelow) = code.name(words) else { return .broken }
        return .key(name: name, isBelow: isBelow)
    }

    /// The 64 bits that begin at bit `bit` of the image.
    @inline(__always)
    private func bits(at bit: Int) -> UInt64 {
        let (place, shift) = (unsafe start + bit &>> 3, UInt64(truncatingIfNeeded: bit & 7))
        // In bounds: only called for bits of slots, and padding that is longer than a key follows them.
        let word = UInt64(littleEndian: unsafe place.loadUnaligned(as: UInt64.self))
        let last = unsafe UInt64(place.load(fromByteOffset: 8, as: UInt8.self))
        return word &>> shift | (last &<< 1) &<< (63 &- shift)
    }
}

/// What a slot says.
enum StoredKey {
    case none
    case broken
    case key(name: [UInt8], isBelow: Bool)
}

extension KeyHash {
    private static let factor: UInt64 = 0x9FB2_1C65_1E98_DF25

    /// Mixes the lowest of four words with the others, so that it can be told apart and its bits be spread.
    @inline(__always)
    func mix(_ words: inout NameWords) {
        var low = words.low ^ self(words.middle, words.high, words.top)
        low ^= low &>> 32
        low &*= third
        low ^= low &>> 32
        low &*= Self.factor
        words.low = low ^ low &>> 32
    }

    /// Undoes ``mix(_:)``.
    func unmix(_ words: inout NameWords) {
        var low = words.low
        low ^= low >> 32
        low &*= Self.inverse(of: Self.factor)
        low ^= low >> 32
        low &*= Self.inverse(of: third)
        low ^= low >> 32
        words.low = low ^ self(words.middle, words.high, words.top)
    }

    /// The number that makes 1 of an odd one, modulo 2^64.
    private static func inverse(of factor: UInt64) -> UInt64 {
        // Each step doubles the bits that are right; the factor itself has three.
        var inverse = factor
        for _ in 0..<5 { inverse &*= 2 &- factor &* inverse }
        return inverse
    }

    /// The slot of a key whose mixed word is `word`; see ``TrieImage/compactPlace(_:_:_:isBelow:)``.
    @inline(__always)
    static func compactSlot(_ word: UInt64, pilot: UInt16, slots: UInt32) -> Int {
        let implied = UInt64(truncatingIfNeeded: TrieImage.impliedBits(slots: slots))
        let kept = word &>> implied
        let distance = scaled((kept ^ UInt64(pilot)) &* 0xD6E8_FEB8_6659_FD93, to: slots)
        let slot = distance &+ Int(truncatingIfNeeded: word & ~(~0 &<< implied))
        return slot >= Int(slots) ? slot &- Int(slots) : slot
    }
}
