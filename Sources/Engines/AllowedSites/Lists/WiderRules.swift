internal import Hostnames

/// The allowing wildcards and networks of a list; used to decide whether a bad line may be left out.
///
/// The most specific host decides alone, so a rule for `wiki.host.example/public` removes the rest of that host from
/// `*.host.example`. Without that line the list allows more, as it does without an exception.
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

    /// Whether a bad line may be about a host that one of these rules allows. True also if the host of the line is
    /// unclear.
    func mayAllow(whatStandsIn bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !places.isEmpty else { return false }
        let line = range.prefix(SiteRule.maximumLength).map { bytes[$0] }
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard words.first?.first != UInt8(ascii: "#") else { return false }
        return range.count > SiteRule.maximumLength
            || words.prefix { $0.first != UInt8(ascii: "#") }.contains { mayAllow(Array($0)) }
    }

    private func mayAllow(_ word: [UInt8]) -> Bool {
        let host = Self.host(in: word)
        if host.first == UInt8(ascii: "[") || host.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
            let address = host.drop { $0 == UInt8(ascii: "[") }.prefix { $0 != UInt8(ascii: "]") }
            let bytes = Array(address)
            guard let ipv6 = try? IPv6Address(parsing: bytes.span, in: 0..<bytes.count) else { return true }
            return (0..<128).contains { places.contains(.ipv6(IPNetwork(containing: ipv6.rawValue, length: $0))) }
        }
        var name = Array(host.prefix { $0 != UInt8(ascii: ":") }.drop { "*.".utf8.contains($0) })
        while name.last == UInt8(ascii: ".") { name.removeLast() }
        // Some programs read such a name as a range of addresses.
        let isNumeric = name.allSatisfy { Self.isDigit($0) || ".-xX".utf8.contains($0) }
        if let host = try? hosts.hostname(parsing: name.span, in: 0..<name.count) {
            return isWithin(host) || (hasIPv4 && isNumeric && !host.isAddress)
        }
        // A name with forbidden bytes, and an address that programs read differently, may mean any host.
        guard name.allSatisfy(Self.isOfNames) else { return true }
        if hasIPv4, let last = name.last, Self.isDigit(name[0]) || Self.isDigit(last) { return true }
        return isBelow(name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 })
    }

    /// The host and port of a bad line, even if its scheme is malformed.
    private static func host(in word: [UInt8]) -> ArraySlice<UInt8> {
        var rest = word[...]
        let lower = word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        let names = ["https", "http"].filter { lower.starts(with: "\($0):".utf8) || lower.starts(with: "\($0)//".utf8) }
        if let end = word.firstRange(of: Array("://".utf8)) {
            rest = word[end.upperBound...]
        } else if let scheme = names.first {
            let behind = word[scheme.utf8.count...].drop { $0 == UInt8(ascii: ":") }
            // `https:8443` may be a host named `https` with a port.
            if behind.first.map(isDigit) == false { rest = behind }
        }
        rest = rest.drop { $0 == UInt8(ascii: "/") }.prefix { !"/?#;".utf8.contains($0) }
        return rest.lastIndex(of: UInt8(ascii: "@")).map { rest[($0 + 1)...] } ?? rest
    }

    private func isWithin(_ host: Hostname) -> Bool {
        switch host.form {
        case .name(let name): isBelow(name)
        case .ipv4(let address):
            (0..<32).contains { places.contains(.ipv4(IPNetwork(containing: address.rawValue, length: $0))) }
        case .ipv6: true
        }
    }

    private func isBelow(_ name: [UInt8]) -> Bool {
        name.indices.contains {
            name[$0] == UInt8(ascii: ".") && places.contains(.below(Array(name[($0 + 1)...])))
        }
    }

    private static func isOfNames(_ byte: UInt8) -> Bool {
        isDigit(byte) || "-._".utf8.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
