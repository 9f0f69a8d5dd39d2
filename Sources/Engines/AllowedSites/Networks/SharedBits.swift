/// The leading bits that all networks of a family have in common, at most 32.
///
/// Lists of IPv6 networks usually lie in 2000::/3 or in one organisation's prefix, where an index by the first bits of
/// an address would separate few of them. Each network is at least as long as the shared bits, so an address with other
/// leading bits lies in no network.
struct SharedBits: Sendable {
    /// The number of shared bits.
    let count: Int
    /// The bits from the highest bit on; the other bits are zero.
    let bits: UInt64

    /// The header of an image stores 32 bits.
    static let maximumCount = 32
    static let empty = SharedBits(count: 0, bits: 0)

    private init(count: Int, bits: UInt64) {
        (self.count, self.bits) = (count, bits)
    }

    /// The common leading bits of two addresses, at most `length`.
    init(of one: UInt128, and other: UInt128, within length: Int) {
        assert(length >= 0 && length <= 128)
        count = min((one ^ other).leadingZeroBitCount, length, Self.maximumCount)
        bits = UInt64(truncatingIfNeeded: one >> 64) & Self.mask(count)
    }

    /// Reads the form of an image header, or returns `nil` if it is invalid.
    init?(count: UInt8, stored: UInt32) {
        self.init(count: Int(count), bits: UInt64(stored) << 32)
        guard self.count <= Self.maximumCount, bits & ~Self.mask(self.count) == 0 else { return nil }
    }

    /// The form of an image header.
    var stored: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }

    private static func mask(_ count: Int) -> UInt64 { count == 0 ? 0 : UInt64.max << UInt64(64 - count) }

    /// The bits of an address after the shared ones, moved to the highest bits; `nil` if the address has other leading
    /// bits.
    @inline(__always)
    func rest(of address: UInt128) -> UInt128? {
        let others = UInt64(truncatingIfNeeded: address >> 64) ^ bits
        // Two shifts, because one masking shift cannot move a word by 64 bits.
        guard (others &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- count) == 0 else { return nil }
        return address &<< UInt128(truncatingIfNeeded: count)
    }

    /// The address whose bits after the shared ones are `rest`.
    func address(before rest: UInt128) -> UInt128 {
        UInt128(bits) << 64 | rest >> UInt128(count)
    }
}
