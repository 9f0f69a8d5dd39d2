/// The 128-bit product of two words, folded: upper half exclusive-or lower half.
@inline(__always)
func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}
