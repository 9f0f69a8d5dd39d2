/// The first bits of the addresses of a family's networks, as far as all of them have the same.
///
/// Who lists IPv6 networks lists those of 2000::/3, or of one organisation's prefix: an index by the first bits of an address
/// would tell few of them apart. No network is shorter than its shared bits, so other addresses lie in none.
struct SharedBits: Sendable {
    /// How many there are.
    let count: Int
    /// The bits, the first one the highest; zeros follow.
    let bits: UInt64

    /// More are not looked for: the header of an image has room for these.
    static let maximumCount = 32
    static let empty = SharedBits(count: 0, bits: 0)

    private init(count: Int, bits: UInt64) {
        (self.count, self.bits) = (count, bits)
    }

    /// What two addresses share, of which no network is shorter than `length`.
    init(of one: UInt128, and other: UInt128, within length: Int) {
        assert(length >= 0 && length <= 128)
        count = min((one ^ other).leadingZeroBitCount, length, Self.maximumCount)
        bits = UInt64(truncatingIfNeeded: one >> 64) & Self.mask(count)
    }

    /// As the header of an image has them, or `nil` where these cannot be.
    init?(count: UInt8, stored: UInt32) {
        self.init(count: Int(count), bits: UInt64(stored) << 32)
        guard self.count <= Self.maximumCount, bits & ~Self.mask(self.count) == 0 else { return nil }
    }

    /// The same for the header.
    var stored: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }

    private static func mask(_ count: Int) -> UInt64 { count == 0 ? 0 : UInt64.max << UInt64(64 - count) }

    /// What follows them in an address, moved to the highest bits, or `nil` if it begins otherwise.
    @inline(__always)
    func rest(of address: UInt128) -> UInt128? {
        let others = UInt64(truncatingIfNeeded: address >> 64) ^ bits
        // In two steps, since a word cannot be moved by all its bits in one.
        guard (others &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- count) == 0 else { return nil }
        return address &<< UInt128(truncatingIfNeeded: count)
    }

    /// The address of which `rest` follows them.
    func address(before rest: UInt128) -> UInt128 {
        UInt128(bits) << 64 | rest >> UInt128(count)
    }
}
