public import Hostnames

/// A parsed list of rules, in the order of its lines.
///
/// The text is UTF-8 with one rule a line:
///
/// - Empty lines and lines that begin with `#` are skipped. After a rule, white space and `#` begin a comment.
/// - `#! allow-public-suffix` anywhere in the list permits wildcards such as `*.com`. Each other line that begins with
///   `#!` is an error, because a misspelt directive must not be read as a comment.
/// - Lines end in LF or CRLF. A byte order mark at the start is skipped.
public struct SiteList: Sendable {
    /// The name of the list in explanations, such as its file name.
    public let name: String
    /// The bad lines that were left out; empty unless the list was read with `leavingOutBadLines`.
    public let leftOut: SiteListProblems
    package let entries: SiteListEntries

    /// A rule and its line.
    package struct Entry: Equatable, Sendable {
        package let line: Int
        package let rule: SiteRule
    }

    /// The largest size of a list.
    package struct Limits: Sendable {
        package let bytes: Int
        package let lines: Int

        /// The limits of every list: 1 GiB and 16 million lines.
        package static let standard = Limits(bytes: 1 << 30, lines: 1 << 24)
    }

    /// The longest line in bytes without its line end: a rule of ``SiteRule/maximumLength`` and a long comment.
    public static let maximumLineLength = 65_536

    /// The number of rules.
    public var count: Int { entries.count }

    /// Parses a whole list; the error names each bad line.
    ///
    /// - Parameters:
    ///   - text: the list.
    ///   - name: the name of the list in explanations.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``SiteListError``.
    public init(parsing text: String, name: String) throws(SiteListError) {
        try self.init(parsing: text, name: name, limits: .standard)
    }

    /// Parses a whole list and may leave out bad lines.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the list file.
    ///   - name: the name of the list in explanations.
    ///   - leavingOutBadLines: whether bad lines are left out; ``leftOut`` names them. A bad line is an error even so
    ///     if it may be an exception, or if it is about a host that a wider rule of the list allows, because the list
    ///     would allow more without it.
    ///   - hosts: how hosts are read; `HostReader.ascii` accepts international names only as `xn--` labels.
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
            // Whether a bad line is about a host that the list allows is known only after the good lines are read.
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

    /// Makes a list of parsed rules.
    init(name: String, entries: SiteListEntries) {
        assert(entries.brokenInvariant() == nil)
        self.name = name
        self.entries = entries
        leftOut = SiteListProblems()
    }

    /// Whether the text begins with the byte order mark of UTF-16, which some Windows editors write.
    static func isUTF16(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 1 else { return false }
        return (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)
    }
}
