/// The 128-bit product of two words, its halves exclusive-or.
@inline(__always)
func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}

/// `high * count >> 32` for the upper 32 bits of `hash`: below `count`, whatever the hash.
@inline(__always)
func scaled(_ hash: UInt64, to count: UInt32) -> Int {
    Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(count)) >> 32)
}
