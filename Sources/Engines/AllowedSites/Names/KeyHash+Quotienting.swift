internal import PerfectHash

/// Quotienting (Knuth, TAOCP 6.4; Cleary 1984): a slot stores only the part of a key that its position does not imply.
///
/// ```text
/// x      = mix(coded name)                          reversible, so equal x means equal name
/// k      = floor(log2(slots))                       implied bits
/// q, r   = x >> k, x's lowest k bits                quotient, remainder
/// slot   = (scale(q ^ pilot, slots) + r) mod slots
/// stored = q                                        r = (slot - scale(q ^ pilot, slots)) mod slots
/// ```
///
/// Two keys with one quotient in one slot have one pilot, because the upper bits of the quotient choose it. So they
/// have one remainder and are equal: a lookup compares the whole key although the slot omits *k* bits.
extension KeyHash {
    /// The number of bits of a key that its slot implies.
    @inline(__always)
    static func impliedBits(slots: UInt32) -> Int { 31 &- min(slots.leadingZeroBitCount, 31) }

    private static let factor: UInt64 = 0x9FB2_1C65_1E98_DF25

    /// Mixes the lowest word of a coded name with the others: reversible, and every bit looks random.
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

    /// The multiplicative inverse of an odd number modulo 2^64.
    private static func inverse(of factor: UInt64) -> UInt64 {
        assert(factor & 1 == 1)
        // Newton's iteration: each step doubles the number of correct bits. The factor itself has three.
        var inverse = factor
        for _ in 0..<5 { inverse &*= 2 &- factor &* inverse }
        return inverse
    }

    /// The slot of a key whose mixed word is `word`.
    @inline(__always)
    static func compactSlot(_ word: UInt64, pilot: UInt16, slots: UInt32) -> Int {
        assert(slots > 0)
        let implied = UInt64(truncatingIfNeeded: impliedBits(slots: slots))
        let kept = word &>> implied
        let distance = slotOfSite(kept, pilot: pilot, slots: slots)
        assert(distance < Int(slots) && 1 << implied <= UInt64(slots), "the sum is below twice the number of slots")
        let slot = distance &+ Int(truncatingIfNeeded: word & ~(~0 &<< implied))
        return slot >= Int(slots) ? slot &- Int(slots) : slot
    }
}
