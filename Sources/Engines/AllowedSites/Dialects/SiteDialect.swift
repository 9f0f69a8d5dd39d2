internal import Hostnames

/// The format in which another program lists the sites that receive credentials.
///
/// The programs read a leading dot, a missing port and a missing scheme differently:
///
/// | dialect | `host.example` | `.host.example` | `*.host.example` | no port | no scheme |
/// |---|---|---|---|---|---|
/// | ``chromium`` | that host | below | below | any | both |
/// | ``firefox`` | that host and below | below | nothing | any | both |
/// | ``windowsZones`` | that host | an error | below | any, always | both |
/// | ``noProxy`` | that host and below | below | below | any | both, always |
/// | ``squid`` | that host | that host and below | nothing | any, always | both, always |
/// | ``apple`` | that host | below | an error | any, always | both, always |
///
/// In all dialects except ``windowsZones`` the entries add up. A site list is decided by the most specific host, so
/// each rule read from such a dialect also states what the wider entries allow.
///
/// Reading never widens: an entry that a rule cannot express is left out and reported as a ``DialectLoss``. Writing
/// never widens either: a rule that the other program would read as wider is left out.
public enum SiteDialect: String, CaseIterable, Hashable, Sendable {
    /// `AuthServerAllowlist` of Chromium and browsers based on it: entries separated by commas or semicolons.
    case chromium
    /// `network.negotiate-auth.trusted-uris` of Firefox: entries separated by commas.
    case firefox
    /// The Site to Zone Assignment List of Windows: one site and its zone a line. Only zone 1, the intranet, receives
    /// credentials.
    case windowsZones = "windows-zones"
    /// The environment variable `NO_PROXY`, as Go and most newer programs read it: entries separated by commas.
    case noProxy = "no-proxy"
    /// The values of a `dstdomain` list of Squid, separated by blanks or line ends.
    case squid
    /// `Hosts` of Apple's Extensible Single Sign-on payload for Kerberos: one host a line.
    case apple

    /// The longest text in a dialect, in bytes.
    public static let maximumLength = 1 << 24
}

/// The result of reading a dialect.
public struct DialectReading: Sendable {
    /// The rules; each has the line of its entry (see ``DialectLoss/line``).
    public let list: SiteList
    /// The entries, or parts of entries, that are not in `list`.
    public let losses: [DialectLoss]
}

/// The result of writing a dialect.
public struct DialectWriting: Equatable, Sendable {
    /// The text without a final line end; empty if no rule could be expressed.
    public let text: String
    /// The rules that are not in `text`.
    public let losses: [DialectLoss]
}

extension SiteDialect {
    /// Reads a text of this dialect.
    ///
    /// - Parameters:
    ///   - text: at most ``maximumLength`` bytes.
    ///   - name: the name of the list in explanations.
    ///   - allowingPublicSuffix: whether wildcards may be directly above a public suffix, as in `.com`.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``SiteListError``.
    public func read(
        _ text: String,
        name: String,
        allowingPublicSuffix: Bool = false
    ) throws(SiteListError) -> DialectReading {
        guard text.utf8.count <= Self.maximumLength else { throw .tooManyBytes(limit: Self.maximumLength) }
        return try read(bytes: Array(text.utf8), name: name, allowingPublicSuffix: allowingPublicSuffix)
    }

    /// Reads the bytes of a file in this dialect.
    ///
    /// Like ``read(_:name:allowingPublicSuffix:)``, but invalid UTF-8 is an error and is not repaired.
    public func read(
        bytes: [UInt8],
        name: String,
        allowingPublicSuffix: Bool = false
    ) throws(SiteListError) -> DialectReading {
        guard bytes.count <= Self.maximumLength else { throw .tooManyBytes(limit: Self.maximumLength) }
        var rules: [WiderEntries.Entry] = []
        var losses: [DialectLoss] = []
        for entry in try DialectEntries(self, in: bytes).entries {
            let kept = rules.count
            do throws(DialectLoss.Reason) {
                guard !isOneHost || !entry.text.utf8.contains(where: Self.isSpace) else { throw .withoutEffect }
                for parts in try parts(of: entry.text) {
                    // The program compares a trailing dot literally, and requests have none.
                    guard parts.isException || !parts.host.hasSuffix(".") else { throw .withoutEffect }
                    do throws(SiteRuleError) {
                        let rule = try Self.rule(parts, allowingPublicSuffix: allowingPublicSuffix)
                        rules.append((rule, entry.line))
                    } catch {
                        throw .rule(error.reason)
                    }
                }
            } catch {
                losses.append(
                    DialectLoss(
                        line: entry.line,
                        text: String(entry.text),
                        reason: error,
                        mayBeException: mayBeException(entry.text),
                        keepsHost: rules.count > kept
                    )
                )
            }
        }
        rules += self == .windowsZones ? WindowsZones.apexes(of: rules) : try WiderEntries(rules).additions(to: rules)
        var entries = SiteListEntries()
        for entry in rules { entries.append(entry.rule, line: entry.line) }
        return DialectReading(list: SiteList(name: name, entries: entries), losses: losses)
    }

    /// The rule of an entry. Networks have names of one label, such as `.corp`, which no registry gives away as long as the public
    /// suffix list has no such top-level domain.
    private static func rule(_ parts: EntryParts, allowingPublicSuffix: Bool) throws(SiteRuleError) -> SiteRule {
        do throws(SiteRuleError) {
            return try SiteRule(parsing: parts.ruleText, allowingPublicSuffix: allowingPublicSuffix)
        } catch {
            guard case .wildcardAbovePublicSuffix(let name) = error.reason, !name.contains(".") else { throw error }
            let bytes = [UInt8](name.utf8)
            guard !PublicSuffixList.current.isListed(bytes.span, in: bytes.indices) else { throw error }
            return try SiteRule(parsing: parts.ruleText, allowingPublicSuffix: true)
        }
    }

    /// Whether the program reads white space inside an entry as part of the host.
    private var isOneHost: Bool {
        switch self {
        case .chromium, .firefox, .noProxy: true
        case .windowsZones, .squid, .apple: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

    /// Whether an unreadable entry may be an exception: it has `!` or a similar character, or in Windows zones it is
    /// not certainly in zone 1.
    private func mayBeException(_ entry: Substring) -> Bool {
        let bytes = Array(entry.utf8)
        if ExceptionMark.hasMark(bytes.span, bytes.indices) { return true }
        // Chromium's syntax for a removal, such as <-loopback>.
        if self == .chromium, entry.hasPrefix("<-") { return true }
        let words = WindowsZones.words(of: entry)
        return self == .windowsZones && (words.count != 2 || words[1] != "1")
    }

    /// The parts of the rules that express an entry; several if one rule is not enough.
    private func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
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
