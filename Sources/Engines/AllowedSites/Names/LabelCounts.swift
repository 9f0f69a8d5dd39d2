/// A set of label counts, 1 to 127: for each wildcard of a list, the number of labels below the `*`.
struct LabelCounts: Equatable {
    /// Bit *n* of `low` means *n* labels, of `high` *n* + 64 labels.
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0

    /// Wildcards above up to four labels use the filter block of the last three labels. Wildcards above more labels use
    /// a block of their own, because a list with many of them would fill the shared block.
    static let shared = 4

    init() {}

    init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    @inline(__always)
    func contains(_ count: Int) -> Bool {
        assert(count >= 0 && count < 128)
        return (count < 64 ? low : high) &>> UInt64(truncatingIfNeeded: count) & 1 != 0
    }

    mutating func insert(_ count: Int) {
        precondition((1...127).contains(count))
        if count < 64 { low |= 1 << UInt64(count) } else { high |= 1 << UInt64(count - 64) }
    }

    /// The greatest count, or 0.
    var greatest: Int { high != 0 ? 127 - high.leadingZeroBitCount : low != 0 ? 63 - low.leadingZeroBitCount : 0 }
}
