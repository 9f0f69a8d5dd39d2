internal import Hostnames

/// Reads hosts that are plain names, as nearly all hosts of lists are, without an allocation.
enum PlainHost {
    /// Whether `range` may be an address or a range of addresses: in brackets, or it begins with a digit and ends in a digit, an
    /// `x` or a non-letter.
    ///
    /// - Precondition: `range` is not empty.
    static func mayBeAddress(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let last = bytes[range.upperBound - 1] | 0x20
        let first = bytes[range.lowerBound]
        return first == UInt8(ascii: "[")
            || (first <= UInt8(ascii: "9") && (last <= UInt8(ascii: "9") || last == UInt8(ascii: "x")))
    }

    /// Appends the canonical name, or returns `false` and appends nothing.
    ///
    /// - Parameter suffixes: given for the wildcards that may not be above a public suffix.
    static func append(
        _ range: Range<Int>,
        of bytes: Span<UInt8>,
        unlessAboveStrangers suffixes: PublicSuffixList?,
        to names: inout [UInt8]
    ) -> Bool {
        let start = names.count
        guard let form = try? Hostname.appendCanonicalName(parsing: bytes, in: range, to: &names), form == .name else {
            return false
        }
        guard let suffixes, suffixes.areStrangersBelow(names.span, in: start..<names.count) else { return true }
        names.removeLast(names.count - start)
        return false
    }
}
