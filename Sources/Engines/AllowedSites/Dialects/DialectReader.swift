internal import Hostnames

/// Turns the entries of a dialect into rules, and collects what is lost.
struct DialectReader {
    private let dialect: SiteDialect
    private let allowsPublicSuffix: Bool
    // Most lists have rules that do not need it, and its table is made at the first use.
    private lazy var suffixes = PublicSuffixList.current
    private var rules = SiteListEntries()
    private var losses: [DialectLoss] = []

    init(_ dialect: SiteDialect, allowingPublicSuffix: Bool, textLength: Int) {
        self.dialect = dialect
        allowsPublicSuffix = allowingPublicSuffix
        rules.reserve(textLength: textLength)
    }

    /// Reads one more entry.
    mutating func read(_ entry: DialectEntries.Entry, of bytes: Span<UInt8>) {
        if readPlainHost(entry, of: bytes) { return }
        let text = entry.range.map { bytes[$0] }
        read(Substring(decoding: text, as: UTF8.self), line: entry.line)
    }

    /// The list of all entries that were read.
    consuming func finish(name: String) throws(SiteListError) -> DialectReading {
        let additions =
            dialect == .windowsZones ? WindowsZones.apexes(of: rules) : try WiderEntries.additions(to: rules)
        for addition in additions { rules.append(addition.rule, line: addition.line) }
        return DialectReading(list: SiteList(name: name, entries: rules), losses: losses)
    }

    /// Reads an entry that is a host, with an optional leading dot or `*.`, as nearly all entries are; returns `false` for other entries.
    ///
    /// Makes no text and no ``SiteRule``, whose allocations would take ten times as long as the rule's record.
    private mutating func readPlainHost(_ entry: DialectEntries.Entry, of bytes: Span<UInt8>) -> Bool {
        var host = entry.range
        // In these dialects `*.` means what a dot means.
        if dialect == .chromium || dialect == .noProxy, host.count > 1, bytes[host.lowerBound] == UInt8(ascii: "*") {
            host.removeFirst()
            guard bytes[host.lowerBound] == UInt8(ascii: ".") else { return false }
        }
        let hasDot = bytes[host.lowerBound] == UInt8(ascii: ".")
        if hasDot { host.removeFirst() }
        guard let meaning = dialect.hosts(ofNameWithLeadingDot: hasDot), let first = host.first, let last = host.last,
            Self.isOfLabels(bytes[first]), Self.isOfLabels(bytes[last]), !PlainHost.mayBeAddress(bytes, host)
        else { return false }
        // The first rule of an entry is refused where the second one would be. The longer way then says what is wrong.
        var suffixes = meaning.below && !allowsPublicSuffix ? suffixes : nil
        if meaning.itself {
            guard append(host, of: bytes, unlessAboveStrangers: suffixes, line: entry.line, []) else { return false }
            suffixes = nil
        }
        return !meaning.below
            || append(host, of: bytes, unlessAboveStrangers: suffixes, line: entry.line, .isWildcard)
    }

    private mutating func append(
        _ host: Range<Int>,
        of bytes: Span<UInt8>,
        unlessAboveStrangers suffixes: PublicSuffixList?,
        line: Int,
        _ traits: SiteListEntries.Traits
    ) -> Bool {
        rules.appendName(line: line, traits.union([.speaksHTTP, .speaksHTTPS, .hasAnyPort])) { names in
            PlainHost.append(host, of: bytes, unlessAboveStrangers: suffixes, to: &names)
        }
    }

    /// Whether a name may begin and end with this byte. Some dialects read other bytes there as a sign.
    private static func isOfLabels(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Reads any entry.
    private mutating func read(_ entry: Substring, line: Int) {
        let before = rules.endIndex
        do throws(DialectLoss.Reason) {
            guard !dialect.isOneHost || !entry.utf8.contains(where: Self.isSpace) else { throw .withoutEffect }
            for parts in try dialect.parts(of: entry) {
                // The program compares a trailing dot literally, and requests have none.
                guard parts.isException || !parts.host.hasSuffix(".") else { throw .withoutEffect }
                do throws(SiteRuleError) {
                    rules.append(try rule(parts), line: line)
                } catch {
                    throw .rule(error.reason)
                }
            }
        } catch {
            losses.append(
                DialectLoss(
                    line: line,
                    text: String(entry),
                    reason: error,
                    mayBeException: mayBeException(entry),
                    keepsHost: rules.endIndex > before
                )
            )
        }
    }

    /// The rule of an entry. Networks have names of one label, such as `.corp`, which no registry gives away as long as the public
    /// suffix list has no such top-level domain.
    private func rule(_ parts: EntryParts) throws(SiteRuleError) -> SiteRule {
        do throws(SiteRuleError) {
            return try SiteRule(parsing: parts.ruleText, allowingPublicSuffix: allowsPublicSuffix)
        } catch {
            guard case .wildcardAbovePublicSuffix(let name) = error.reason, !name.contains(".") else { throw error }
            let bytes = [UInt8](name.utf8)
            guard !PublicSuffixList.current.isListed(bytes.span, in: bytes.indices) else { throw error }
            return try SiteRule(parsing: parts.ruleText, allowingPublicSuffix: true)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

    /// Whether an unreadable entry may be an exception: it has `!` or a similar character, or in Windows zones it is
    /// not certainly in zone 1.
    private func mayBeException(_ entry: Substring) -> Bool {
        let bytes = Array(entry.utf8)
        if ExceptionMark.hasMark(bytes.span, bytes.indices) { return true }
        // Chromium's syntax for a removal, such as <-loopback>.
        if dialect == .chromium, entry.hasPrefix("<-") { return true }
        let words = WindowsZones.words(of: entry)
        return dialect == .windowsZones && (words.count != 2 || words[1] != "1")
    }
}

extension SiteDialect {
    /// Whether the program reads white space inside an entry as part of the host.
    fileprivate var isOneHost: Bool {
        switch self {
        case .chromium, .firefox, .noProxy: true
        case .windowsZones, .squid, .apple: false
        }
    }

    /// The hosts of an entry that is a name, with or without a leading dot; `nil` if each entry has more than a name. The table
    /// at ``SiteDialect`` in other words.
    fileprivate func hosts(ofNameWithLeadingDot hasDot: Bool) -> (itself: Bool, below: Bool)? {
        switch self {
        case .chromium, .apple: (!hasDot, hasDot)
        case .firefox, .noProxy: (!hasDot, true)
        case .squid: (true, hasDot)
        case .windowsZones: nil
        }
    }

    /// The parts of the rules that express an entry; several if one rule is not enough.
    fileprivate func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        switch self {
        case .chromium: try ChromiumAllowlist.parts(of: entry)
        case .firefox: try FirefoxTrustedURIs.parts(of: entry)
        case .windowsZones: try WindowsZones.parts(of: entry)
        case .noProxy: try NoProxy.parts(of: entry)
        case .squid: try SquidDomains.parts(of: entry)
        case .apple: try AppleHosts.parts(of: entry)
        }
    }
}
