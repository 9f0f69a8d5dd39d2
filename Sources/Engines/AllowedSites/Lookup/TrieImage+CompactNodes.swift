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
    /// The place of a key of up to four words, compared in full.
    @inline(never)
    func compactNode(_ code: HuffmanCode, _ name: NameWords, _ length: Int, isBelow: Bool) -> TrieNode? {
        guard var coded = code.code(name, length: length, isBelow: isBelow) else { return nil }
        hash.mix(&coded.words)
        let keyLength = coded.keyLength
        let table = keyTable(keyLength)
        let implied = KeyHash.impliedBits(slots: table.slotCount)
        let index = pilotIndex(coded.words.low, table)
        assert(isPilot(index))
        // In bounds: the table was checked, and `scaled` stays below the number of pilots.
        let pilot = UInt16(littleEndian: unsafe pilots.load(fromByteOffset: index &* 2, as: UInt16.self))
        let slot = KeyHash.compactSlot(coded.words.low, pilot: pilot, slots: table.slotCount)
        assert(slot >= 0 && slot < Int(table.slotCount))
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
        return TrieNode(
            number: Int(table.firstNumber) &+ slot,
            hasList: flags & 2 != 0,
            length: length,
            isBelow: isBelow
        )
    }
}
