/// Repeats the rules of wider entries for each narrower entry.
///
/// In most programs the entries add up: `https://wiki.host.example` beside `*.host.example` changes nothing. In a site
/// list the most specific host decides alone, so `wiki.host.example` needs the rules of both entries.
struct WiderEntries {
    /// A rule and the line of its entry.
    typealias Entry = (rule: SiteRule, line: Int)

    /// The largest number of added rules, because an attacker could write a list whose entries each lie in a hundred
    /// others.
    static let limit = 1 << 20

    private var places: [SiteRule.Place: [Entry]] = [:]

    init(_ entries: [Entry]) {
        for entry in entries { places[entry.rule.place, default: []].append(entry) }
    }

    /// The rules to add to `entries`, with the lines of the wider entries.
    ///
    /// - Complexity: one hash lookup for each parent of each name and for each shorter prefix of each network.
    func additions(to entries: [Entry]) throws(SiteListError) -> [Entry] {
        var additions: [Entry] = []
        var seen: Set<SiteRule.Place> = []
        for entry in entries where seen.insert(entry.rule.place).inserted {
            let place = entry.rule.place
            var said = places[place, default: []].map(\.rule)
            for wider in self.wider(than: place) where !said.contains(where: { $0.allowsAll(of: wider.rule) }) {
                let rule = SiteRule(
                    isException: false,
                    schemes: wider.rule.schemes,
                    place: place,
                    port: wider.rule.port,
                    path: nil
                )
                said.append(rule)
                additions.append((rule, wider.line))
                guard additions.count <= Self.limit else { throw .tooManyLines(limit: Self.limit) }
            }
        }
        return additions
    }

    private func wider(than place: SiteRule.Place) -> [Entry] {
        switch place {
        case .name(let name), .below(let name):
            name.indices.lazy.filter { name[$0] == UInt8(ascii: ".") }
                .flatMap { places[.below(Array(name[($0 + 1)...])), default: []] }
        case .ipv4(let network):
            (0..<network.length).reversed().flatMap {
                places[.ipv4(IPNetwork(containing: network.address, length: $0)), default: []]
            }
        case .ipv6(let network):
            (0..<network.length).reversed().flatMap {
                places[.ipv6(IPNetwork(containing: network.address, length: $0)), default: []]
            }
        }
    }
}

extension SiteRule {
    /// Whether this rule fits each request that `other` fits, for a host of both.
    func allowsAll(of other: SiteRule) -> Bool {
        path == nil && (schemes == .both || schemes == other.schemes) && (port == .any || port == other.port)
    }
}
