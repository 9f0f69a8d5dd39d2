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
        return isComment == false && ExceptionMark.hasMark(bytes, range)
    }
}
