public import Hostnames

/// A parsed list of rules, in the order of its lines.
///
/// The text is UTF-8, one rule a line. Empty lines and lines that begin with `#` are skipped; behind a rule, white space and
/// `#` begin a comment. `#! allow-public-suffix`, anywhere in the list, permits wildcards such as `*.com`; every other
/// line that begins with `#!` is an error, since a directive with a spelling mistake must not pass for a comment.
/// Lines end in LF or CRLF; a byte order mark at the start is skipped.
public struct SiteList: Sendable {
    /// What the list is called in explanations, such as its file name.
    public let name: String
    /// The lines that were left out; empty unless the list was read with `leavingOutBadLines`.
    public let leftOut: SiteListProblems
    package let entries: SiteListEntries

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

    /// The longest line, in bytes and without its end: a rule of ``SiteRule/maximumLength`` and a long comment.
    public static let maximumLineLength = 65_536

    /// How many rules there are.
    public var count: Int { entries.count }

    /// Parses a whole list; either every line is right, or the error names every line that is not.
    ///
    /// - Parameters:
    ///   - text: the list.
    ///   - name: what to call the list.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``SiteListError``.
    public init(parsing text: String, name: String) throws(SiteListError) {
        try self.init(parsing: text, name: name, limits: .standard)
    }

    /// Parses a whole list, of which bad lines may be left out.
    ///
    /// - Parameters:
    ///   - bytes: the list, as it stands in its file.
    ///   - name: what to call the list.
    ///   - leavingOutBadLines: whether a list with bad lines is made of its good ones; ``leftOut`` names the others. A bad
    ///     line that may be an exception is an error even so, and one about a host that a wider rule of the list allows, since a
    ///     list without it would allow more.
    ///   - hosts: how hosts are read; ``HostReader/ascii`` takes international names as `xn--` labels only.
    /// - Complexity: O(*n*) in the length of `bytes`; about twice as many bytes of memory.
    /// - Throws: ``SiteListError``.
    public init(
        parsing bytes: Span<UInt8>,
        name: String,
        leavingOutBadLines: Bool = false,
        hosts: HostReader = .ascii
    ) throws(SiteListError) {
        try self.init(
            parsing: bytes,
            name: name,
            leavingOutBadLines: leavingOutBadLines,
            hosts: hosts,
            limits: .standard
        )
    }

    package init(parsing text: String, name: String, limits: Limits) throws(SiteListError) {
        let bytes = [UInt8](text.utf8)
        try self.init(parsing: bytes.span, name: name, leavingOutBadLines: false, limits: limits)
    }

    package init(
        parsing bytes: Span<UInt8>,
        name: String,
        leavingOutBadLines: Bool,
        hosts: HostReader = .ascii,
        limits: Limits
    ) throws(SiteListError) {
        guard bytes.count <= limits.bytes else { throw .tooManyBytes(limit: limits.bytes) }
        guard !Self.isUTF16(bytes) else { throw .utf16 }
        var reader = SiteListReader(bytes, hosts: hosts)
        while reader.readLine(of: bytes) {
            guard reader.line <= limits.lines else { throw .tooManyLines(limit: limits.lines) }
        }
        let problems = reader.finish()
        guard problems.isEmpty || leavingOutBadLines else { throw .badLines(problems) }
        guard reader.badExceptions.isEmpty else { throw .badExceptions(reader.badExceptions) }
        if !problems.isEmpty {
            // Which lines matter is known only now that the good ones are.
            var again = SiteListReader(bytes, hosts: hosts, wider: WiderRules(reader.entries, hosts: hosts))
            while again.readLine(of: bytes) {}
            _ = again.finish()
            guard again.badNarrowings.isEmpty else { throw .badNarrowings(again.badNarrowings) }
        }
        assert(reader.entries.brokenInvariant() == nil)
        self.name = name
        leftOut = problems
        entries = reader.entries
    }

    /// A list of rules that are there already.
    init(name: String, entries: SiteListEntries) {
        self.name = name
        self.entries = entries
        leftOut = SiteListProblems()
    }

    /// Whether the text begins with the byte order mark of UTF-16, as some editors on Windows save it.
    static func isUTF16(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 1 else { return false }
        return (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)
    }
}
