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

    /// What Unicode (NFKC) takes for `!`, as it stands in UTF-8: U+203C, U+2048, U+2049, U+FE15, U+FE57 and U+FF01.
    private static let otherMarks: [(UInt8, UInt8, UInt8)] = [
        (0xe2, 0x80, 0xbc), (0xe2, 0x81, 0x88), (0xe2, 0x81, 0x89),
        (0xef, 0xb8, 0x95), (0xef, 0xb9, 0x97), (0xef, 0xbc, 0x81),
    ]

    /// Whether a text may have been meant as an exception: it has a `!`, or what somebody may take for one.
    static func hasMark(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for offset in range {
            if bytes[offset] == UInt8(ascii: "!") { return true }
            guard bytes[offset] >= 0x80, offset + 2 < range.upperBound else { continue }
            let scalar = (bytes[offset], bytes[offset + 1], bytes[offset + 2])
            if otherMarks.contains(where: { $0 == scalar }) { return true }
        }
        return false
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
