/// Reads the lines of a list one after the other and collects rules and problems.
struct SiteListReader {
    private let bytes: [UInt8]
    private var next: Int
    /// The number of the line that was read last.
    private(set) var line = 0
    private(set) var entries: [SiteList.Entry] = []
    private var otherProblems: [SiteListProblem] = []
    /// Wildcards above a public suffix; whether they are problems is known only at the end of the list.
    private var publicSuffixProblems: [SiteListProblem] = []
    private var allowsPublicSuffix = false

    init(_ text: String) {
        bytes = [UInt8](text.utf8)
        next = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    }

    /// Every problem found so far, in the order of lines.
    var problems: [SiteListProblem] {
        guard !allowsPublicSuffix, !publicSuffixProblems.isEmpty else { return otherProblems }
        return (otherProblems + publicSuffixProblems).sorted { $0.line < $1.line }
    }

    /// Reads one more line, or returns `false` at the end.
    mutating func readLine() -> Bool {
        guard next < bytes.count else { return false }
        line += 1
        let start = next
        var end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        next = end + 1
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        guard let first = bytes[start..<end].firstIndex(where: { !Self.isBlank($0) }) else { return true }
        if bytes[first] == UInt8(ascii: "#") {
            readComment(first..<end, lineStart: start)
        } else {
            readRule(first..<end, lineStart: start)
        }
        return true
    }

    private mutating func readComment(_ range: Range<Int>, lineStart: Int) {
        guard range.count > 1, bytes[range.lowerBound + 1] == UInt8(ascii: "!") else { return }
        let words = bytes[range].dropFirst(2).split(whereSeparator: Self.isBlank)
        if words.count == 1, words[0].elementsEqual("allow-public-suffix".utf8) {
            allowsPublicSuffix = true
        } else {
            note(.unknownDirective, at: range.lowerBound - lineStart)
        }
    }

    private mutating func readRule(_ range: Range<Int>, lineStart: Int) {
        let end = bytes[range].firstIndex(where: Self.isBlank) ?? range.upperBound
        if let rest = bytes[end..<range.upperBound].firstIndex(where: { !Self.isBlank($0) }),
            bytes[rest] != UInt8(ascii: "#")
        {
            note(.textAfterRule, at: rest - lineStart)
            return
        }
        let rule = [UInt8](bytes[range.lowerBound..<end])
        do throws(SiteRuleError) {
            entries.append(.init(line: line, rule: try SiteRule(parsing: rule.span, allowingPublicSuffix: true)))
            // Asked again only to learn whether the guard minds, and where.
            _ = try SiteRule(parsing: rule.span, allowingPublicSuffix: false)
        } catch {
            let column = range.lowerBound - lineStart + error.column
            let problem = SiteListProblem(line: line, column: column, reason: .rule(error.reason))
            if case .wildcardAbovePublicSuffix = error.reason {
                publicSuffixProblems.append(problem)
            } else {
                otherProblems.append(problem)
            }
        }
    }

    private mutating func note(_ reason: SiteListProblem.Reason, at offset: Int) {
        otherProblems.append(SiteListProblem(line: line, column: offset + 1, reason: reason))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
