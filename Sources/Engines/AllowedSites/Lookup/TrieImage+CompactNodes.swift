/// Keys of the compact layout: Huffman-coded names, shortened by quotienting.
///
/// ```text
/// bit 0        1: the slot holds a key
/// bit 1        1: the node has a rule list
/// from bit 2   the quotient: the mixed lowest word of the coded name without its k lowest bits (64 - k bits)
/// then         the other words of the coded name (key length * 8 - 64 bits)
/// ```
///
/// `KeyHash+Quotienting` explains why the whole key is still compared.
extension TrieImage {
    /// The node of a key of up to four words. The key is compared in full.
    @inline(never)
    func compactNode(_ code: HuffmanCode, _ name: NameWords, _ length: Int, isBelow: Bool) -> TrieNode? {
        guard var coded = code.code(name, length: length, isBelow: isBelow) else { return nil }
        hash.mix(&coded.words)
        let keyLength = coded.keyLength
        assert(keyLength <= HuffmanCode.maximumKeyLength, "a coded name has four words")
        let table = keyTable(keyLength)
        let implied = KeyHash.impliedBits(slots: table.slotCount)
        let pilot = pilot(coded.words.low, table)
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
