internal import Hostnames

/// Reads the lines of a list and collects rules and problems.
///
/// Each call receives the bytes, because a `Span` cannot be stored.
struct SiteListReader {
    private let hosts: HostReader
    // Most lists have rules that do not need it, and its table is made at the first use.
    private lazy var suffixes = PublicSuffixList.current
    /// The wildcards and networks of the good lines; `nil` in the first pass.
    private let wider: WiderRules?
    private var next: Int
    /// The number of the last line read.
    private(set) var line = 0
    private(set) var entries = SiteListEntries()
    private var problems = SiteListProblems()
    /// The problems of lines that may be exceptions.
    private(set) var badExceptions = SiteListProblems()
    /// The problems of lines that may narrow `wider`.
    private(set) var badNarrowings = SiteListProblems()
    private var allowsPublicSuffix = false
    /// Wildcards above a public suffix. The directive may follow, so they become problems only at the end of the list.
    private var publicSuffixProblems = SiteListProblems()
    private var publicSuffixNarrowings = SiteListProblems()
    /// Their positions in `entries`.
    private var publicSuffixEntries: [Int] = []

    init(_ bytes: Span<UInt8>, hosts: HostReader, wider: WiderRules? = nil) {
        self.hosts = hosts
        self.wider = wider
        entries.reserve(textLength: bytes.count)
        let hasMark = bytes.count > 2 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
        next = hasMark ? 3 : 0
    }

    /// Removes wildcards above public suffixes unless the directive allows them; returns all problems.
    mutating func finish() -> SiteListProblems {
        guard !allowsPublicSuffix, !publicSuffixProblems.isEmpty else { return problems }
        entries.remove(at: publicSuffixEntries)
        badNarrowings = badNarrowings.merging(publicSuffixNarrowings)
        return problems.merging(publicSuffixProblems)
    }

    /// Reads one more line, or returns `false` at the end.
    mutating func readLine(of bytes: Span<UInt8>) -> Bool {
        guard next < bytes.count else { return false }
        line += 1
        let start = next
        var end = start
        // Controls and bytes above 127 are rare, so such lines are checked in a second pass.
        var isPlain = true
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
            if bytes[end] < 0x20 || bytes[end] >= 0x7f { isPlain = false }
            end += 1
        }
        next = end + 1
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        var first = start
        while first < end, Self.isBlank(bytes[first]) { first += 1 }
        guard first < end else { return true }
        assert(start <= first && end < next && end <= bytes.count, "the line lies before the next one")
        if end - start > SiteList.maximumLineLength {
            note(.tooLong, at: SiteList.maximumLineLength, bytes, start..<end)
        } else if !isPlain, let (reason, offset) = LineText.problem(in: bytes, start..<end) {
            note(reason, at: offset - start, bytes, start..<end)
        } else if bytes[first] == UInt8(ascii: "#") {
            readComment(bytes, first..<end, lineStart: start)
        } else {
            readRule(bytes, first..<end, lineStart: start)
        }
        return true
    }

    private mutating func readComment(_ bytes: Span<UInt8>, _ range: Range<Int>, lineStart: Int) {
        assert(lineStart <= range.lowerBound && bytes[range.lowerBound] == UInt8(ascii: "#"))
        guard range.count > 1, bytes[range.lowerBound + 1] == UInt8(ascii: "!") else { return }
        let words = range.dropFirst(2).map { bytes[$0] }.split(whereSeparator: Self.isBlank)
        if words.count == 1, words[0].elementsEqual("allow-public-suffix".utf8) {
            allowsPublicSuffix = true
        } else {
            note(.unknownDirective, at: range.lowerBound - lineStart, bytes, lineStart..<range.upperBound)
        }
    }

    private mutating func readRule(_ bytes: Span<UInt8>, _ range: Range<Int>, lineStart: Int) {
        assert(lineStart <= range.lowerBound && !Self.isBlank(bytes[range.lowerBound]), "the caller skips blanks")
        var end = range.lowerBound
        while end < range.upperBound, !Self.isBlank(bytes[end]) { end += 1 }
        var rest = end
        while rest < range.upperBound, Self.isBlank(bytes[rest]) { rest += 1 }
        guard rest == range.upperBound || bytes[rest] == UInt8(ascii: "#") else {
            let isMark = end - range.lowerBound == 1 && bytes[range.lowerBound] == UInt8(ascii: "!")
            let offset = isMark ? end : rest
            note(
                isMark ? .blankBehindMark : .textAfterRule,
                at: offset - lineStart,
                bytes,
                lineStart..<range.upperBound
            )
            return
        }
        if readHost(bytes, range.lowerBound..<end) { return }
        let rule = (range.lowerBound..<end).map { bytes[$0] }
        do throws(SiteRuleError) {
            entries.append(try SiteRule(parsing: rule.span, allowingPublicSuffix: true, hosts: hosts), line: line)
            // Parsed again to learn whether it is a wildcard above a public suffix, and its column.
            _ = try SiteRule(parsing: rule.span, allowingPublicSuffix: false, hosts: hosts)
        } catch {
            let column = range.lowerBound - lineStart + error.column
            assert(column >= 1 && error.column <= rule.count + 1, "the column lies in the rule or directly after it")
            if case .wildcardAbovePublicSuffix = error.reason {
                assert(entries.last?.line == line, "the first parse appended the rule")
                publicSuffixEntries.append(entries.count - 1)
                let problem = SiteListProblem(line: line, column: column, reason: .rule(error.reason))
                publicSuffixProblems.add(problem)
                if wider?.mayAllow(whatStandsIn: bytes, range) == true { publicSuffixNarrowings.add(problem) }
            } else {
                note(.rule(error.reason), at: column - 1, bytes, lineStart..<range.upperBound)
            }
        }
    }

    /// Reads a rule that is a name with optional `!` and `*.`, as nearly all rules are; returns `false` for other
    /// rules.
    private mutating func readHost(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        assert(!range.isEmpty && range.upperBound <= bytes.count)
        var start = range.lowerBound
        let isException = bytes[start] == UInt8(ascii: "!")
        if isException { start += 1 }
        let isWildcard =
            range.upperBound - start > 2 && bytes[start] == UInt8(ascii: "*") && bytes[start + 1] == UInt8(ascii: ".")
        if isWildcard { start += 2 }
        guard start < range.upperBound, !PlainHost.mayBeAddress(bytes, start..<range.upperBound),
            hosts.isPlain(bytes, in: start..<range.upperBound)
        else { return false }
        var traits: SiteListEntries.Traits = isException ? [.isException, .speaksHTTP, .hasAnyPort] : []
        traits.insert(.speaksHTTPS)
        if isWildcard { traits.insert(.isWildcard) }
        let suffixes = isWildcard && !isException ? suffixes : nil
        return entries.appendName(line: line, traits) { names in
            PlainHost.append(start..<range.upperBound, of: bytes, unlessAboveStrangers: suffixes, to: &names)
        }
    }

    private mutating func note(
        _ reason: SiteListProblem.Reason,
        at offset: Int,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) {
        let problem = SiteListProblem(line: line, column: offset + 1, reason: reason)
        problems.add(problem)
        if LineText.mayBeException(bytes, range) { badExceptions.add(problem) }
        if let wider, reason != .unknownDirective, wider.mayAllow(whatStandsIn: bytes, range) {
            badNarrowings.add(problem)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
