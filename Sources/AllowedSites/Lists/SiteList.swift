/// A parsed list of rules, in the order of its lines.
///
/// The text is UTF-8, one rule a line. Empty lines and lines that begin with `#` are skipped; behind a rule, white space and
/// `#` begin a comment. `#! allow-public-suffix`, anywhere in the list, permits wildcards such as `*.com`; every other
/// line that begins with `#!` is an error, since a directive with a spelling mistake must not pass for a comment.
public struct SiteList: Sendable {
    /// What the list is called in explanations, such as its file name.
    public let name: String
    package let entries: [Entry]

    /// A rule and its line.
    package struct Entry: Equatable, Sendable {
        package let line: Int
        package let rule: SiteRule
    }

    /// How large a list may be.
    package struct Limits: Sendable {
        package let bytes: Int
        package let lines: Int

        /// What holds for every list: 1 GiB and 16 million lines.
        package static let standard = Limits(bytes: 1 << 30, lines: 1 << 24)
    }

    /// How many rules there are.
    public var count: Int { entries.count }

    /// Parses a whole list; either every line is right, or the error names every line that is not.
    ///
    /// - Parameters:
    ///   - text: the list; lines end in LF or CRLF, a byte order mark at the start is skipped.
    ///   - name: what to call the list.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``SiteListError``.
    public init(parsing text: String, name: String) throws(SiteListError) {
        try self.init(parsing: text, name: name, limits: .standard)
    }

    package init(parsing text: String, name: String, limits: Limits) throws(SiteListError) {
        guard text.utf8.count <= limits.bytes else { throw .tooManyBytes(limit: limits.bytes) }
        var reader = SiteListReader(text)
        while reader.readLine() {
            guard reader.line <= limits.lines else { throw .tooManyLines(limit: limits.lines) }
        }
        let problems = reader.problems
        guard problems.isEmpty else { throw .badLines(problems) }
        self.name = name
        entries = reader.entries
    }
}
