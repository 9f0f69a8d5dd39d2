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
/// Reading never widens: an entry that our rules cannot say is left out, and a ``DialectLoss`` says so. Writing never
/// widens either, so a rule that is wider in the other program than here is left out as well.
public enum SiteDialect: String, CaseIterable, Hashable, Sendable {
    /// `AuthServerAllowlist` of Chromium and its relatives: entries with commas between them.
    case chromium
    /// `network.negotiate-auth.trusted-uris` of Firefox: entries with commas or blanks between them.
    case firefox
    /// The Site to Zone Assignment List of Windows: a site and its zone a line; zone 1, the intranet, is logged on to.
    case windowsZones = "windows-zones"
    /// The environment variable `NO_PROXY`, as Go and most newer programs read it.
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
    /// - Throws: ``SiteListError/tooManyBytes(limit:)``.
    public func read(
        _ text: String,
        name: String,
        allowingPublicSuffix: Bool = false
    ) throws(SiteListError) -> DialectReading {
        guard text.utf8.count <= Self.maximumLength else { throw .tooManyBytes(limit: Self.maximumLength) }
        var entries = SiteListEntries()
        var losses: [DialectLoss] = []
        for entry in self.entries(in: text) {
            do throws(DialectLoss.Reason) {
                for parts in try parts(of: entry.text) {
                    do throws(SiteRuleError) {
                        let rule = try SiteRule(parsing: parts.ruleText, allowingPublicSuffix: allowingPublicSuffix)
                        entries.append(rule, line: entry.line)
                    } catch {
                        throw .rule(error.reason)
                    }
                }
            } catch {
                losses.append(DialectLoss(line: entry.line, text: String(entry.text), reason: error))
            }
        }
        return DialectReading(list: SiteList(name: name, entries: entries), losses: losses)
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

    /// The entries of a text, with their places.
    private func entries(in text: String) -> [(line: Int, text: Substring)] {
        switch self {
        case .chromium:
            // Chromium takes semicolons too, and trims blanks.
            numbered(text.split(whereSeparator: { $0 == "," || $0 == ";" || $0.isNewline }).map(\.trimmed))
        case .firefox, .noProxy:
            numbered(text.split(whereSeparator: { $0 == "," || $0.isWhitespace }))
        case .windowsZones, .squid, .apple: lines(of: text)
        }
    }

    private func numbered(_ entries: [Substring]) -> [(line: Int, text: Substring)] {
        entries.filter { !$0.isEmpty }.enumerated().map { ($0.offset + 1, $0.element) }
    }

    /// Lines without comments; of Squid, every word of a line.
    private func lines(of text: String) -> [(line: Int, text: Substring)] {
        var entries: [(line: Int, text: Substring)] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.trimmed
            if content.isEmpty || content.hasPrefix("#") || (self == .windowsZones && content.hasPrefix(";")) {
                continue
            }
            if self == .squid {
                for word in content.split(whereSeparator: \.isWhitespace).prefix(while: { !$0.hasPrefix("#") }) {
                    entries.append((index + 1, word))
                }
            } else {
                entries.append((index + 1, content))
            }
        }
        return entries
    }
}

extension Substring {
    /// Without white space at its ends.
    var trimmed: Substring {
        var rest = self
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}
