/// The entries of a text, split byte by byte as the program of the dialect splits them.
///
/// The text is split only where the program is known to split, so each entry here is also an entry there.
struct DialectEntries {
    /// An entry and its line.
    struct Entry {
        /// The line, or the number of the entry in dialects without lines.
        let line: Int
        let text: Substring
    }

    private(set) var entries: [Entry] = []

    /// - Throws: ``SiteListError`` for bytes that programs read differently: NUL, a carriage return without a line
    ///   feed, and invalid UTF-8.
    init(_ dialect: SiteDialect, in bytes: [UInt8]) throws(SiteListError) {
        guard !SiteList.isUTF16(bytes.span) else { throw .utf16 }
        let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
        let lines = try Self.lines(of: text)
        switch dialect {
        case .chromium:
            number(Self.values(of: text) { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }.map(Self.trimmed))
        case .noProxy: number(Self.values(of: text) { $0 == UInt8(ascii: ",") }.map(Self.trimmed))
        // Firefox skips blanks before an entry. Blanks after it belong to the host, which then matches no request.
        case .firefox: number(Self.values(of: text) { $0 == UInt8(ascii: ",") }.map { $0.drop(while: Self.isBlank) })
        case .windowsZones, .apple:
            for (index, line) in lines.enumerated() where !Self.isComment(line, dialect) { add(line, index + 1) }
        case .squid:
            for (index, line) in lines.enumerated() where !Self.isComment(line, dialect) {
                let words = line.split(whereSeparator: Self.isBlank)
                for word in words.prefix(while: { $0.first != UInt8(ascii: "#") }) { add(word, index + 1) }
            }
        }
    }

    private mutating func number(_ values: [ArraySlice<UInt8>]) {
        for value in values where !value.isEmpty { add(value, entries.count + 1) }
    }

    private mutating func add(_ text: ArraySlice<UInt8>, _ line: Int) {
        assert(entries.last.map { $0.line <= line } ?? true, "entries are in the order of the text")
        entries.append(Entry(line: line, text: Substring(decoding: text, as: UTF8.self)))
    }

    /// The values between separators. A line end at the end of the file is removed first.
    private static func values(of text: ArraySlice<UInt8>, isSeparator: (UInt8) -> Bool) -> [ArraySlice<UInt8>] {
        var text = text
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return text.split(whereSeparator: isSeparator)
    }

    /// The lines without leading and trailing blanks.
    private static func lines(of text: ArraySlice<UInt8>) throws(SiteListError) -> [ArraySlice<UInt8>] {
        var problems = SiteListProblems()
        var lines: [ArraySlice<UInt8>] = []
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let bytes = Array(line)
            if let (reason, offset) = LineText.problem(in: bytes.span, bytes.indices) {
                problems.add(SiteListProblem(line: index + 1, column: offset + 1, reason: reason))
            }
            lines.append(trimmed(line))
        }
        guard problems.isEmpty else { throw .badLines(problems) }
        return lines
    }

    private static func isComment(_ line: ArraySlice<UInt8>, _ dialect: SiteDialect) -> Bool {
        line.isEmpty || line.first == UInt8(ascii: "#")
            || (dialect == .windowsZones && line.first == UInt8(ascii: ";"))
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isSpace(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
