internal import Hostnames

/// What the wildcards and networks of a list allow, asked about lines that cannot be read.
///
/// The most specific host decides alone, so a rule for `wiki.host.example/public` takes the rest of that host away from
/// `*.host.example`. A list without such a line allows more, as one without an exception does.
struct WiderRules {
    private var places: Set<SiteRule.Place> = []
    private var hasIPv4 = false
    private let hosts: HostReader

    init(_ entries: SiteListEntries, hosts: HostReader) {
        self.hosts = hosts
        for entry in entries where !entry.rule.isException {
            switch entry.rule.place {
            case .ipv4:
                hasIPv4 = true
                places.insert(entry.rule.place)
            case .below, .ipv6: places.insert(entry.rule.place)
            case .name: continue
            }
        }
    }

    /// Whether a bad line may speak of a host for which one of them allows something. Whatever might be a host in it is taken for one:
    /// nobody knows what the line was to be.
    func mayAllow(whatStandsIn bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !places.isEmpty else { return false }
        let line = range.prefix(SiteRule.maximumLength).map { bytes[$0] }
        let afterBrackets = line.split(separator: UInt8(ascii: "["), omittingEmptySubsequences: false).dropFirst()
        if afterBrackets.contains(where: mayAllowAddress) { return true }
        return line.split(whereSeparator: Self.isSeparator).contains(where: mayAllow)
            || line.split(whereSeparator: Self.isBlankOrSlash).contains { mayAllowAddress($0) }
    }

    /// What stands around a host in a rule, or in what somebody wrote in place of one.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case ...0x20, 0x7f: true
        default: "/:@?#,;[]()<>\"'=|\\".utf8.contains(byte)
        }
    }

    private static func isBlankOrSlash(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: "/") }

    /// Whether a wildcard stands above a name, or a network around an address.
    private func mayAllow(_ word: ArraySlice<UInt8>) -> Bool {
        var word = Array(word.drop { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ".") })
        while word.last == UInt8(ascii: ".") { word.removeLast() }
        // The host as it would be asked for, and the letters as they stand, since it may be none.
        if let host = try? hosts.hostname(parsing: word.span, in: 0..<word.count), isWithin(host) { return true }
        if let hyphen = word.firstIndex(of: UInt8(ascii: "-")),
            let host = try? Hostname(parsing: word.span, in: 0..<hyphen), host.isAddress, isWithin(host)
        {
            return true
        }
        // An address in a form that programs read differently may be any.
        if let first = word.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), hasIPv4,
            word.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "x") }),
            (try? Hostname(parsing: word.span, in: 0..<word.count)) == nil
        {
            return true
        }
        let letters = word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return isBelow(letters)
    }

    /// Whether a network stands around the IPv6 address at the beginning of `text`, which a bracket or a slash ends.
    private func mayAllowAddress(_ text: ArraySlice<UInt8>) -> Bool {
        let address = Array(text.prefix { $0 != UInt8(ascii: "]") })
        guard let ipv6 = try? IPv6Address(parsing: address.span, in: 0..<address.count) else { return false }
        return isWithin(ipv6)
    }

    private func isWithin(_ host: Hostname) -> Bool {
        switch host.form {
        case .name(let name): isBelow(name)
        case .ipv4(let address):
            (0..<32).contains { places.contains(.ipv4(IPNetwork(containing: address.rawValue, length: $0))) }
        case .ipv6(let address): isWithin(address)
        }
    }

    private func isBelow(_ name: [UInt8]) -> Bool {
        name.indices.contains {
            name[$0] == UInt8(ascii: ".") && places.contains(.below(Array(name[($0 + 1)...])))
        }
    }

    private func isWithin(_ address: IPv6Address) -> Bool {
        (0..<128).contains { places.contains(.ipv6(IPNetwork(containing: address.rawValue, length: $0))) }
    }
}
