/// Hosts as a reader with a pencil would take them: split the text, look at the pieces.
enum NaiveHost {
    /// The canonical text of a name or a dotted IPv4 address, or `nil` for everything doubtful.
    static func canonical(_ text: String) -> String? {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
        guard !text.isEmpty, text.unicodeScalars.allSatisfy({ allowed.contains(Character($0)) }) else { return nil }
        var labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let hadTrailingDot = labels.count > 1 && labels.last == ""
        if hadTrailingDot { labels.removeLast() }
        guard labels.allSatisfy({ !$0.isEmpty && $0.count <= 63 }) else { return nil }
        let name = labels.joined(separator: ".")
        guard name.count <= 253, let last = labels.last else { return nil }
        let digits = Set("0123456789")
        let isNumber = last.allSatisfy { digits.contains($0) }
        let isHexadecimal = last.hasPrefix("0x") && last.dropFirst(2).allSatisfy { $0.isHexDigit }
        guard isNumber || isHexadecimal else { return name }
        // Parsers agree only on the plain decimal form of a byte.
        let bytes = labels.compactMap { UInt8($0) }
        guard !hadTrailingDot, labels.count == 4, bytes.map({ String($0) }) == labels else { return nil }
        return name
    }

    /// RFC 5952 by trying every run of zero groups, the longest first and the leftmost of equals.
    static func text(ofIPv6 groups: [UInt16]) -> String {
        let words = groups.map { String($0, radix: 16) }
        for length in stride(from: 8, through: 2, by: -1) {
            for start in 0...(8 - length) where groups[start..<(start + length)].allSatisfy({ $0 == 0 }) {
                let head = words[..<start].joined(separator: ":")
                return head + "::" + words[(start + length)...].joined(separator: ":")
            }
        }
        return words.joined(separator: ":")
    }
}
