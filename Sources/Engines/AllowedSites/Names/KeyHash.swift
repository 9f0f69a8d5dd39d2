/// The seeded hash of names: two multiplications for a name of up to 31 bytes, one more for each further ten bytes.
///
/// The seed is computed from the rules, so an attacker cannot prepare names that collide in every image. The seed is
/// not secret: the perfect hash resolves all collisions of keys when the image is made, and a lookup reads one slot for
/// any hash.
struct KeyHash: Equatable {
    let first: UInt64
    let second: UInt64
    let third: UInt64

    /// The fixed seed of the sum over all rules, from which the seed of an image is computed.
    static let fixed = KeyHash(
        first: 0x243F_6A88_85A3_08D3,
        second: 0x1319_8A2E_0370_7344,
        third: 0xA409_3822_299F_31D1
    )

    init(first: UInt64, second: UInt64, third: UInt64) {
        (self.first, self.second, self.third) = (first, second, third)
    }

    /// The seed for rules with this sum of fixed hashes; `attempt` is the number of seeds that gave two keys one hash.
    init(contentSum: UInt64, attempt: UInt64) {
        first = fold(contentSum ^ 0x452821E638D01377, 0xBE54_66CF_34E9_0C6C &+ attempt)
        second = fold(contentSum &+ 0xC0AC_29B7_C97C_50DD, first ^ 0x3F84_D5B5_B547_0917)
        // Odd, so multiplication by it is reversible.
        third = fold(first ^ 0x9216_D5D9_8979_FB1B, second ^ 0xD131_0BA6_98DF_B5AC) | 1
    }

    @inline(__always)
    func callAsFunction(_ low: UInt64, _ middle: UInt64, _ high: UInt64) -> UInt64 {
        next(fold(low ^ first, middle ^ second), high)
    }

    /// The hash of a name of `length` bytes.
    @inline(__always)
    func callAsFunction(_ words: NameWords, length: Int) -> UInt64 {
        assert(length > 0 && length <= PackedName.maximumLength)
        let hash = self(words.low, words.middle, words.high)
        return length > NameWords.lengthInThreeWords ? next(hash, words.top) : hash
    }

    /// Extends a hash by one word.
    @inline(__always)
    func next(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        fold(hash ^ word, third)
    }

    /// The hash of the key for the names below a name with this hash.
    @inline(__always)
    static func below(_ hash: UInt64) -> UInt64 { hash ^ 0x5BD1_E995_9D1B_54A5 }

    /// The three bits that a key sets in its 64-bit block of the Bloom filter.
    @inline(__always)
    static func filterBits(_ hash: UInt64) -> UInt64 {
        1 &<< hash | 1 &<< (hash >> 6) | 1 &<< (hash >> 12)
    }
}
