/// What can be said of a line before anybody asks for the rule in it.
enum LineText {
    /// Why the bytes of a line are not the text of one line, and where.
    static func problem(in bytes: Span<UInt8>, _ range: Range<Int>) -> (SiteListProblem.Reason, offset: Int)? {
        for offset in range {
            if bytes[offset] == 0 { return (.nul, offset) }
            if bytes[offset] == UInt8(ascii: "\r") { return (.loneCarriageReturn, offset) }
        }
        var parser = Unicode.UTF8.ForwardParser()
        var rest = range.map { bytes[$0] }.makeIterator()
        var offset = range.lowerBound
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar): offset += scalar.count
            case .error: return (.invalidUTF8, offset)
            case .emptyInput: return nil
            }
        }
    }

    /// What people or editors may write for `!`: what Unicode folds to it (NFKC), confuses with it (UTS #39) or calls an exclamation
    /// mark.
    private static let otherMarks: Set<UInt32> = [
        0xa1, 0x1c3, 0x55c, 0x7f9, 0x1944, 0x203c, 0x2048, 0x2049, 0x2755, 0x2757, 0x2762, 0x2763, 0x2d51, 0xa71d,
        0xfe15,
        0xfe57, 0xff01, 0x1e95e,
    ]

    /// Whether one of them stands at `offset` of a text that ends at `end`.
    static func isOtherMark(_ bytes: Span<UInt8>, at offset: Int, end: Int) -> Bool {
        let lead = bytes[offset]
        guard lead >= 0xc0 else { return false }
        // In UTF-8 (RFC 3629 section 3), the first byte says how many follow.
        let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
        guard offset + length <= end else { return false }
        let first = UInt32(lead) & (0x7f >> UInt32(length))
        return otherMarks.contains((1..<length).reduce(first) { $0 << 6 | UInt32(bytes[offset + $1]) & 0x3f })
    }

    /// Whether a text may have been meant as an exception: it has a `!`, or what somebody may take for one.
    static func hasMark(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.contains { bytes[$0] == UInt8(ascii: "!") || isOtherMark(bytes, at: $0, end: range.upperBound) }
    }

    /// Whether a bad line may have been meant as an exception: it has such a mark and is no comment.
    static func mayBeException(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var isComment: Bool?
        for offset in range {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): continue
            // Behind it, some programs see another line.
            case UInt8(ascii: "\r"): isComment = false
            default: break
            }
            isComment = isComment ?? (bytes[offset] == UInt8(ascii: "#"))
        }
        return isComment == false && hasMark(bytes, range)
    }
}
