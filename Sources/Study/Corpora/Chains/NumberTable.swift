/// Finds the numbers of things that are kept elsewhere: a hash table with open addresses.
///
/// A recording's reader looks up a hundred thousand hashes, texts and chains, for which the dictionaries of the standard
/// library take twice as long as reading the lines. The caller passes a hash made with ``seed`` and compares the values.
struct NumberTable: Sendable {
    /// The seed of the hashes. Each table has a random one, so that a recording cannot contain names chosen to collide.
    let seed = UInt64.random(in: .min ... .max) | 1

    /// The lower half of a hash, then 1 + the number; 0 is free. At most three quarters are taken.
    private var slots = [UInt64](repeating: 0, count: 64)
    private var taken = 0

    /// The number whose thing `isIt`, among those with this hash.
    @inline(__always)
    func number(hash: UInt64, where isIt: (Int32) -> Bool) -> Int32? {
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place] != 0 {
            let slot = slots[place]
            if slot >> 32 == hash & 0xFFFF_FFFF {
                let number = Int32(truncatingIfNeeded: slot &- 1)
                if isIt(number) { return number }
            }
            place = (place &+ 1) & mask
        }
        return nil
    }

    /// Enters a number that is not there yet.
    mutating func insert(_ number: Int32, hash: UInt64) {
        if 4 * (taken + 1) > 3 * slots.count { grow() }
        place((hash & 0xFFFF_FFFF) << 32 | UInt64(number + 1))
        taken += 1
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: 2 * old.count)
        for slot in old where slot != 0 { place(slot) }
    }

    private mutating func place(_ slot: UInt64) {
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: slot >> 32) & mask
        while slots[place] != 0 { place = (place &+ 1) & mask }
        slots[place] = slot
    }

    // MARK: - Hashes

    /// `hash` with eight bytes more.
    @inline(__always)
    func adding(_ word: UInt64, to hash: UInt64) -> UInt64 {
        let product = (word ^ hash ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
