extension PublicSuffixList {
    /// The largest list in bytes; today's has 340,000.
    public static let maximumLength = 1 << 22

    /// The most rules of a list; today's has 10,397.
    public static let maximumCount = PublicSuffixTable.maximumCount

    /// The last line of a list. A list that was cut off allows more, so a list without it is refused.
    static let lastMark = "// ===END PRIVATE DOMAINS==="

    /// The line after which the rules are those of companies, such as `github.io`. A list without it has registries alone.
    private static let privateMark = "// ===BEGIN PRIVATE DOMAINS==="

    private static let versionMark = "// VERSION:"

    /// Reads a list in the form of publicsuffix.org, such as `/usr/share/publicsuffix/public_suffix_list.dat`.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, at most ``maximumLength`` bytes, with both parts of the list (ICANN and private).
    ///   - hosts: how names are read: the list has international names, so give `HostReader.international` of the module
    ///     `InternationalHostnames`; `HostReader.ascii` reads lists whose names are A-labels.
    /// - Complexity: O(*n*) in the length of `bytes`; 0.3 s for today's list in a debug build.
    /// - Throws: ``PublicSuffixListError``.
    public init(parsing bytes: Span<UInt8>, hosts: HostReader) throws(PublicSuffixListError) {
        guard bytes.count <= Self.maximumLength else { throw .tooManyBytes(limit: Self.maximumLength) }
        var lines = PublicSuffixLines(bytes)
        var rules: [UInt8] = []
        var count = 0
        var version: String?
        var (isPrivate, isWhole) = (false, false)
        while let line = lines.next(in: bytes) {
            if Self.begins(bytes, line, with: "//") {
                if Self.begins(bytes, line, with: Self.privateMark) { isPrivate = true }
                if Self.begins(bytes, line, with: Self.lastMark) { isWhole = true }
                if version == nil, Self.begins(bytes, line, with: Self.versionMark) {
                    version = try Self.version(bytes, line, number: lines.number)
                }
                continue
            }
            guard count < Self.maximumCount else { throw .tooManyRules(limit: Self.maximumCount) }
            count += 1
            if !rules.isEmpty { rules.append(UInt8(ascii: "\n")) }
            if isPrivate { rules.append(UInt8(ascii: "+")) }
            try Self.append(bytes, line, number: lines.number, hosts, to: &rules)
        }
        guard count > 0 else { throw .noRules }
        guard isWhole else { throw .notWhole }
        self.init(version: version, table: PublicSuffixTable(rules: rules))
    }

    /// The version of a list whose first bytes these are, without reading its rules; `nil` if they do not say.
    package static func version(inStart bytes: Span<UInt8>) -> String? {
        var lines = PublicSuffixLines(bytes)
        while let line = lines.next(in: bytes) {
            guard begins(bytes, line, with: "//") else { return nil }
            if begins(bytes, line, with: versionMark) {
                return try? version(bytes, line, number: lines.number)
            }
        }
        return nil
    }

    /// A rule is the text up to the first blank: a name, `*.` and a name, or `!` and a name.
    private static func append(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>,
        number: Int,
        _ hosts: HostReader,
        to rules: inout [UInt8]
    ) throws(PublicSuffixListError) {
        var start = line.lowerBound
        if bytes[start] == UInt8(ascii: "!") {
            rules.append(bytes[start])
            start += 1
        } else if begins(bytes, line, with: "*.") {
            rules += "*.".utf8
            start += 2
        }
        let form: Hostname.Form
        do throws(HostnameError) {
            form = try hosts.hostname(parsing: bytes, in: start..<line.upperBound).form
        } catch {
            throw .notARule(line: number, reason: error)
        }
        guard case .name(let name) = form else { throw .notARule(line: number, reason: nil) }
        rules += name
    }

    /// The time of the line `// VERSION: 2026-10-22_08-36-41_UTC`. Its shape is checked, so that texts compare as times do.
    private static func version(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>,
        number: Int
    ) throws(PublicSuffixListError) -> String {
        let shape = "0000-00-00_00-00-00_UTC"
        var start = line.lowerBound + versionMark.utf8.count
        while start < line.upperBound, PublicSuffixLines.isBlank(bytes[start]) { start += 1 }
        let text = (start..<line.upperBound).map { bytes[$0] }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isTime =
            text.count == shape.utf8.count
            && zip(text, shape.utf8).allSatisfy { digits.contains($1) ? digits.contains($0) : $0 == $1 }
        guard isTime else { throw .badVersion(line: number) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func begins(_ bytes: Span<UInt8>, _ range: Range<Int>, with text: String) -> Bool {
        let text = text.utf8
        return range.count >= text.count && zip(range, text).allSatisfy { bytes[$0] == $1 }
    }
}

/// The lines of a list that are not blank. A comment reaches to the end of its line, a rule to its first blank.
private struct PublicSuffixLines {
    private var next: Int
    /// The number of the last line, from 1.
    private(set) var number = 0

    init(_ bytes: Span<UInt8>) {
        let hasMark = bytes.count > 2 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
        next = hasMark ? 3 : 0
    }

    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        while next < bytes.count {
            number += 1
            var start = next
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            next = end + 1
            while start < end, Self.isBlank(bytes[start]) { start += 1 }
            while start < end, Self.isBlank(bytes[end - 1]) { end -= 1 }
            guard start < end else { continue }
            if bytes[start] == UInt8(ascii: "/") { return start..<end }
            return start..<((start..<end).first { Self.isBlank(bytes[$0]) } ?? end)
        }
        return nil
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}
