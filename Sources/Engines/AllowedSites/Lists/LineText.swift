/// Checks of a line that do not depend on its rule.
enum LineText {
    /// Why bytes are not one line of text, and the offset of the problem; `nil` if they are.
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
            case .emptyInput:
                assert(offset == range.upperBound, "the scalars have as many bytes as the line")
                return nil
            }
        }
    }

    /// Whether the author of a bad line may have meant an exception: it has `!` or a similar character outside a
    /// comment.
    static func mayBeException(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var isComment: Bool?
        for offset in range {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): continue
            // Some programs read a new line after a carriage return.
            case UInt8(ascii: "\r"): isComment = false
            default: break
            }
            isComment = isComment ?? (bytes[offset] == UInt8(ascii: "#"))
        }
        return isComment == false && ExceptionMark.hasMark(bytes, range)
    }
}
