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
    ///   - text: at most 1 GiB and 16 million entries, as a ``SiteList``.
    ///   - name: the name of the list in explanations.
    ///   - allowingPublicSuffix: whether wildcards may be directly above a public suffix, as in `.com`.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``SiteListError``.
    public func read(
        _ text: String,
        name: String,
        allowingPublicSuffix: Bool = false
    ) throws(SiteListError) -> DialectReading {
        let bytes = [UInt8](text.utf8)
        return try read(bytes: bytes.span, name: name, allowingPublicSuffix: allowingPublicSuffix)
    }

    /// Reads the bytes of a file in this dialect.
    ///
    /// Like ``read(_:name:allowingPublicSuffix:)``, but invalid UTF-8 is an error and is not repaired.
    public func read(
        bytes: Span<UInt8>,
        name: String,
        allowingPublicSuffix: Bool = false
    ) throws(SiteListError) -> DialectReading {
        try read(bytes: bytes, name: name, allowingPublicSuffix: allowingPublicSuffix, limits: .standard)
    }

    package func read(
        bytes: Span<UInt8>,
        name: String,
        allowingPublicSuffix: Bool,
        limits: SiteList.Limits
    ) throws(SiteListError) -> DialectReading {
        guard bytes.count <= limits.bytes else { throw .tooManyBytes(limit: limits.bytes) }
        var entries = try DialectEntries(self, in: bytes)
        var reader = DialectReader(self, allowingPublicSuffix: allowingPublicSuffix, textLength: bytes.count)
        // One line of Squid's lists may have all entries.
        var count = 0
        while let entry = entries.next(in: bytes) {
            count += 1
            guard max(entry.line, count) <= limits.lines else { throw .tooManyLines(limit: limits.lines) }
            reader.read(entry, of: bytes)
        }
        return try reader.finish(name: name)
    }
}
