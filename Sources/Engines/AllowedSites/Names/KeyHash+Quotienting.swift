extension KeyHash {
    /// How many bits of a key its slot implies.
    @inline(__always)
    static func impliedBits(slots: UInt32) -> Int { 31 &- min(slots.leadingZeroBitCount, 31) }

    private static let factor: UInt64 = 0x9FB2_1C65_1E98_DF25

    /// Mixes the lowest of four words with the others, so that it can be told apart and its bits be spread.
    @inline(__always)
    func mix(_ words: inout NameWords) {
        assert(third & 1 == 1, "only an odd factor can be undone")
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
        assert(factor & 1 == 1)
        // Each step doubles the bits that are right; the factor itself has three.
        var inverse = factor
        for _ in 0..<5 { inverse &*= 2 &- factor &* inverse }
        return inverse
    }

    /// The slot of a key whose mixed word is `word`; see ``TrieImage/compactNode(_:_:_:isBelow:)``.
    @inline(__always)
    static func compactSlot(_ word: UInt64, pilot: UInt16, slots: UInt32) -> Int {
        assert(slots > 0)
        let implied = UInt64(truncatingIfNeeded: impliedBits(slots: slots))
        let kept = word &>> implied
        let distance = scaled((kept ^ UInt64(pilot)) &* 0xD6E8_FEB8_6659_FD93, to: slots)
        let slot = distance &+ Int(truncatingIfNeeded: word & ~(~0 &<< implied))
        return slot >= Int(slots) ? slot &- Int(slots) : slot
    }
}
