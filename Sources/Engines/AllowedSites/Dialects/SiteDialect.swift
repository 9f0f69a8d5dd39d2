/// A way in which another program writes down the sites that receive credentials, or that it treats alike.
///
/// The same dot means different things to them, and so does a missing port:
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
/// Where everything that is listed counts, in all of them but ``windowsZones``, each rule says what wider entries allow as well.
///
/// Reading never widens: an entry that our rules cannot say is left out, and a ``DialectLoss`` says so. Writing never
/// widens either, so a rule that is wider in the other program than here is left out as well.
public enum SiteDialect: String, CaseIterable, Hashable, Sendable {
    /// `AuthServerAllowlist` of Chromium and its relatives: entries with commas or semicolons between them.
    case chromium
    /// `network.negotiate-auth.trusted-uris` of Firefox: entries with commas between them.
    case firefox
    /// The Site to Zone Assignment List of Windows: a site and its zone a line; zone 1, the intranet, is logged on to.
    case windowsZones = "windows-zones"
    /// The environment variable `NO_PROXY`, as Go and most newer programs read it: entries with commas between them.
    case noProxy = "no-proxy"
    /// Values of a `dstdomain` list of Squid, with blanks or line ends between them.
    case squid
    /// `Hosts` of Apple's Extensible Single Sign-on payload, which Kerberos uses: a host a line.
    case apple

    /// The longest text in a dialect, in bytes.
    public static let maximumLength = 1 << 24
}

/// What was read from a dialect.
public struct DialectReading: Sendable {
    /// The rules; the line of each is that of its entry (see ``DialectLoss/line``).
    public let list: SiteList
    /// The entries, or parts of entries, that are not in `list`.
    public let losses: [DialectLoss]
}

/// What was written in a dialect.
public struct DialectWriting: Equatable, Sendable {
    /// The text, without a line end behind it; empty when nothing could be said.
    public let text: String
    /// The rules that `text` does not have.
    public let losses: [DialectLoss]
}

extension SiteDialect {
    /// Reads a text of this dialect.
    ///
    /// - Parameters:
    ///   - text: at most ``maximumLength`` bytes.
    ///   - name: what to call the list.
    ///   - allowingPublicSuffix: whether wildcards may stand directly above a public suffix, as in `.com`.
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

    /// Reads a text of this dialect as it stands in its file.
    ///
    /// The same as ``read(_:name:allowingPublicSuffix:)``, but bytes that are not UTF-8 are an error, not repaired.
    public func read(
        bytes: [UInt8],
        name: String,
        allowingPublicSuffix: Bool = false
    ) throws(SiteListError) -> DialectReading {
        guard bytes.count <= Self.maximumLength else { throw .tooManyBytes(limit: Self.maximumLength) }
        var rules: [WiderEntries.Entry] = []
        var losses: [DialectLoss] = []
        for entry in try DialectEntries(self, in: bytes).entries {
            do throws(DialectLoss.Reason) {
                guard !isOneHost || !entry.text.utf8.contains(where: Self.isSpace) else { throw .withoutEffect }
                for parts in try parts(of: entry.text) {
                    // A dot at the end belongs to the host, and requests come without it.
                    guard parts.isException || !parts.host.hasSuffix(".") else { throw .withoutEffect }
                    do throws(SiteRuleError) {
                        let rule = try SiteRule(parsing: parts.ruleText, allowingPublicSuffix: allowingPublicSuffix)
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
                        mayBeException: mayBeException(entry.text)
                    )
                )
            }
        }
        rules += self == .windowsZones ? WindowsZones.apexes(of: rules) : try WiderEntries(rules).additions(to: rules)
        var entries = SiteListEntries()
        for entry in rules { entries.append(entry.rule, line: entry.line) }
        return DialectReading(list: SiteList(name: name, entries: entries), losses: losses)
    }

    /// Whether white space within an entry is a part of its host, for the program that reads it.
    private var isOneHost: Bool {
        switch self {
        case .chromium, .firefox, .noProxy: true
        case .windowsZones, .squid, .apple: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

    /// Whether somebody may have meant less by an entry that cannot be read: any but a site in zone 1, and any with a mark of exceptions.
    private func mayBeException(_ entry: Substring) -> Bool {
        let bytes = Array(entry.utf8)
        if ExceptionMark.hasMark(bytes.span, bytes.indices) { return true }
        // Chromium's words for what is taken out of a list, such as <-loopback>.
        if self == .chromium, entry.hasPrefix("<-") { return true }
        let words = WindowsZones.words(of: entry)
        return self == .windowsZones && (words.count != 2 || words[1] != "1")
    }

    /// What an entry says, as rules of ours would; several where one cannot say it.
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
