/// A set of numbers of labels, 1 to 127: above names of how many labels wildcards stand.
struct LabelCounts: Equatable {
    /// Bit *n* for *n* labels, and for *n* + 64.
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0

    /// Wildcards above so many labels at most are asked for in the word of the filter for the last three labels; those above
    /// more have a word of their own, or one list of deep ones could fill the word that all of them share.
    static let shared = 4

    init() {}

    init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    @inline(__always)
    func contains(_ count: Int) -> Bool { (count < 64 ? low : high) &>> UInt64(truncatingIfNeeded: count) & 1 != 0 }

    mutating func insert(_ count: Int) {
        precondition((1...127).contains(count))
        if count < 64 { low |= 1 << UInt64(count) } else { high |= 1 << UInt64(count - 64) }
    }

    /// The greatest of them, or 0.
    var greatest: Int { high != 0 ? 127 - high.leadingZeroBitCount : low != 0 ? 63 - low.leadingZeroBitCount : 0 }
}
