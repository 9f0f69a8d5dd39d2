// Range reduction by multiplication (Lemire, "Fast Random Integer Generation in an Interval", 2019): a product and a
// shift take the place of a division. Forced inlining, because a lookup calls it two or three times.

/// Scales a hash to `0..<count`: the upper 32 bits of `hash`, times `count`, divided by 2^32.
///
/// - Parameter count: at most 2^32, so the product fits 64 bits. Zero gives 0.
@inlinable @inline(__always)
package func scaled(_ hash: UInt64, to count: UInt64) -> Int {
    assert(count <= 1 << 32, "the product would overflow")
    return Int(truncatingIfNeeded: ((hash >> 32) &* count) >> 32)
}

/// Scales a hash to `0..<count`.
@inlinable @inline(__always)
package func scaled(_ hash: UInt64, to count: UInt32) -> Int {
    scaled(hash, to: UInt64(count))
}
