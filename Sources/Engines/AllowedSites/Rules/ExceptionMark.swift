/// The `!` of an exception, and the characters that look like it.
enum ExceptionMark {
    /// Characters that people or editors may write for `!`: those that NFKC folds to it, that UTS #39 lists as
    /// confusable with it, or whose name has "exclamation mark".
    private static let otherMarks: Set<UInt32> = [
        0xa1, 0x1c3, 0x55c, 0x7f9, 0x1944, 0x203c, 0x2048, 0x2049, 0x2755, 0x2757, 0x2762, 0x2763, 0x2d51, 0xa71d,
        0xfe15,
        0xfe57, 0xff01, 0x1e95e,
    ]

    /// Whether one of these characters is at `offset` of a text that ends at `end`.
    static func isOtherMark(_ bytes: Span<UInt8>, at offset: Int, end: Int) -> Bool {
        assert(offset < end && end <= bytes.count)
        let lead = bytes[offset]
        guard lead >= 0xc0 else { return false }
        // RFC 3629 section 3: the first byte gives the length of the sequence.
        let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
        guard offset + length <= end else { return false }
        let first = UInt32(lead) & (0x7f >> UInt32(length))
        return otherMarks.contains((1..<length).reduce(first) { $0 << 6 | UInt32(bytes[offset + $1]) & 0x3f })
    }

    /// Whether a text has a `!` or a similar character, so that its author may have meant an exception.
    static func hasMark(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.contains { bytes[$0] == UInt8(ascii: "!") || isOtherMark(bytes, at: $0, end: range.upperBound) }
    }
}
