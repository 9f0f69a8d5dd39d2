/// The 128-bit product of two words, folded: upper half exclusive-or lower half.
@inline(__always)
func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}

/// Scales a hash to `0..<count`: the upper 32 bits of `hash`, times `count`, divided by 2^32.
@inline(__always)
func scaled(_ hash: UInt64, to count: UInt32) -> Int {
    assert(count > 0, "the result is below the count, which must therefore not be 0")
    return Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(count)) >> 32)
}
