/// The entries of a text, split byte by byte as the program of the dialect splits them.
///
/// The text is split only where the program is known to split, so each entry here is also an entry there. Entries are ranges
/// of the text, because a copy of each would cost more than its rule. Each call receives the bytes, because a `Span` cannot
/// be stored.
struct DialectEntries {
    /// An entry and its line.
    struct Entry {
        /// The line, or the number of the entry in dialects without lines.
        let line: Int
        let range: Range<Int>
    }

    private let dialect: SiteDialect
    /// The bytes that are not split yet.
    private var rest: Range<Int>
    /// The words of the last line that are not returned yet, in dialects with several entries a line.
    private var words = 0..<0
    /// The last line, or the number of entries in dialects without lines.
    private var line = 0

    /// - Throws: ``SiteListError`` for bytes that programs read differently: NUL, a carriage return without a line
    ///   feed, and invalid UTF-8.
    init(_ dialect: SiteDialect, in bytes: Span<UInt8>) throws(SiteListError) {
        guard !SiteList.isUTF16(bytes) else { throw .utf16 }
        let hasMark = bytes.count > 2 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
        self.dialect = dialect
        rest = (hasMark ? 3 : 0)..<bytes.count
        try Self.checkLines(of: bytes, rest)
        guard !dialect.hasLines else { return }
        // A line end at the end of the file does not belong to the last value.
        if let last = rest.last, bytes[last] == UInt8(ascii: "\n") { rest.removeLast() }
        if let last = rest.last, bytes[last] == UInt8(ascii: "\r") { rest.removeLast() }
    }

    /// The next entry, or `nil` at the end.
    mutating func next(in bytes: Span<UInt8>) -> Entry? {
        dialect.hasLines ? nextOfLines(in: bytes) : nextValue(in: bytes)
    }

    private mutating func nextOfLines(in bytes: Span<UInt8>) -> Entry? {
        while true {
            if let word = nextWord(in: bytes) { return Entry(line: line, range: word) }
            guard !rest.isEmpty else { return nil }
            line += 1
            let found = Self.trimmed(Self.removePrefix(from: &rest, of: bytes) { $0 == UInt8(ascii: "\n") }, in: bytes)
            guard !found.isEmpty, !isComment(bytes[found.lowerBound]) else { continue }
            guard dialect == .squid else { return Entry(line: line, range: found) }
            words = found
        }
    }

    /// The next word of the line. `#` at the start of a word begins a comment.
    private mutating func nextWord(in bytes: Span<UInt8>) -> Range<Int>? {
        while let first = words.first, Self.isBlank(bytes[first]) { words.removeFirst() }
        guard let first = words.first, bytes[first] != UInt8(ascii: "#") else {
            words = 0..<0
            return nil
        }
        return Self.removePrefix(from: &words, of: bytes, until: Self.isBlank)
    }

    private mutating func nextValue(in bytes: Span<UInt8>) -> Entry? {
        let isChromium = dialect == .chromium
        while !rest.isEmpty {
            var value = Self.removePrefix(from: &rest, of: bytes) {
                $0 == UInt8(ascii: ",") || (isChromium && $0 == UInt8(ascii: ";"))
            }
            if dialect == .firefox {
                // Firefox skips blanks before an entry. Blanks after it belong to the host, which then matches no request.
                while let first = value.first, Self.isBlank(bytes[first]) { value.removeFirst() }
            } else {
                value = Self.trimmed(value, in: bytes)
            }
            guard !value.isEmpty else { continue }
            line += 1
            return Entry(line: line, range: value)
        }
        return nil
    }

    /// Removes the bytes before the first separator, and the separator, from the start of `range`; returns these bytes.
    @inline(__always)
    private static func removePrefix(
        from range: inout Range<Int>,
        of bytes: Span<UInt8>,
        until isSeparator: (UInt8) -> Bool
    ) -> Range<Int> {
        var end = range.lowerBound
        while end < range.upperBound, !isSeparator(bytes[end]) { end += 1 }
        let taken = range.lowerBound..<end
        range = min(end + 1, range.upperBound)..<range.upperBound
        return taken
    }

    private static func checkLines(of bytes: Span<UInt8>, _ range: Range<Int>) throws(SiteListError) {
        var problems = SiteListProblems()
        var (rest, number) = (range, 0)
        while !rest.isEmpty {
            number += 1
            // Controls and bytes above 127 are rare, so such lines are checked in a second pass.
            var isPlain = true
            var line = removePrefix(from: &rest, of: bytes) {
                if $0 < 0x20 || $0 >= 0x7f {
                    isPlain = isPlain && ($0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t"))
                }
                return $0 == UInt8(ascii: "\n")
            }
            guard !isPlain else { continue }
            if let last = line.last, bytes[last] == UInt8(ascii: "\r") { line.removeLast() }
            guard let (reason, offset) = LineText.problem(in: bytes, line) else { continue }
            problems.add(SiteListProblem(line: number, column: offset - line.lowerBound + 1, reason: reason))
        }
        guard problems.isEmpty else { throw .badLines(problems) }
    }

    private func isComment(_ first: UInt8) -> Bool {
        first == UInt8(ascii: "#") || (dialect == .windowsZones && first == UInt8(ascii: ";"))
    }

    /// `range` without white space at its ends.
    private static func trimmed(_ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
        var range = range
        while let first = range.first, isSpace(bytes[first]) { range.removeFirst() }
        while let last = range.last, isSpace(bytes[last]) { range.removeLast() }
        return range
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isSpace(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}

extension SiteDialect {
    /// Whether a line end ends an entry. The other dialects separate entries by commas.
    fileprivate var hasLines: Bool {
        switch self {
        case .chromium, .firefox, .noProxy: false
        case .windowsZones, .squid, .apple: true
        }
    }
}
