/// Whether the bytes of `range`, which lies inside of `bytes`, are those of `other`.
package func equal(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: some Collection<UInt8>) -> Bool {
    assert(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    guard range.count == other.count else { return false }
    var offset = range.lowerBound
    for byte in other {
        guard bytes[offset] == byte else { return false }
        offset += 1
    }
    return true
}
