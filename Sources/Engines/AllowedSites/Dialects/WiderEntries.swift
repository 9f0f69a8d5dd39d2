/// Repeats the rules of wider entries for each narrower entry.
///
/// In most programs the entries add up: `https://wiki.host.example` beside `*.host.example` changes nothing. In a site
/// list the most specific host decides alone, so `wiki.host.example` needs the rules of both entries.
///
/// A rule for both schemes and every port needs no other, because it allows what every wider one allows. A list of such rules
/// costs one pass over its records; other lists need memory for the rules that do lie inside wider ones.
struct WiderEntries {
    /// The largest number of added rules, because an attacker could write a list whose entries each lie in a hundred
    /// others.
    static let limit = SiteList.Limits.standard.lines

    /// The names of the wildcards, as slices of the rules' records.
    private var wildcards: Set<ArraySlice<UInt8>> = []
    private var networks: Set<SiteRule.Place> = []

    private init(_ rules: SiteListEntries) {
        rules.forEachRecord { record in
            if record.traits.contains(.isOther) {
                networks.insert(rules.rule(of: record).place)
            } else if record.traits.contains(.isWildcard) {
                wildcards.insert(rules.bytes[record.content])
            }
        }
    }

    /// The rules to add to `rules`, with the lines of the wider entries.
    ///
    /// - Complexity: one hash lookup for each parent of each name and for each shorter prefix of each network.
    static func additions(to rules: SiteListEntries) throws(SiteListError) -> [SiteList.Entry] {
        var isNarrow = false
        rules.forEachRecord { if !rules.allowsEverything($0) { isNarrow = true } }
        guard isNarrow else { return [] }
        let wider = WiderEntries(rules)
        let narrow = wider.narrowPlaces(of: rules)
        guard !narrow.isEmpty else { return [] }

        // The rules of the narrow places and of the wider ones.
        var places: [SiteRule.Place: [SiteList.Entry]] = [:]
        for place in narrow {
            places[place] = []
            for wide in wider.places(widerThan: place) { places[wide] = [] }
        }
        rules.forEachRecord { record in
            let rule = rules.rule(of: record)
            places[rule.place]?.append(SiteList.Entry(line: record.line, rule: rule))
        }

        var additions: [SiteList.Entry] = []
        for place in narrow {
            var said = places[place, default: []].map(\.rule)
            for wide in wider.places(widerThan: place).flatMap({ places[$0, default: []] })
            where !said.contains(where: { $0.allowsAll(of: wide.rule) }) {
                let (schemes, port) = (wide.rule.schemes, wide.rule.port)
                let rule = SiteRule(isException: false, schemes: schemes, place: place, port: port, path: nil)
                said.append(rule)
                additions.append(SiteList.Entry(line: wide.line, rule: rule))
                guard additions.count <= Self.limit else { throw .tooManyLines(limit: Self.limit) }
            }
        }
        return additions
    }

    /// The places with a rule that does not allow everything and with a wider place, in the order of the rules.
    private func narrowPlaces(of rules: SiteListEntries) -> [SiteRule.Place] {
        var narrow: [SiteRule.Place] = []
        var seen: Set<SiteRule.Place> = []
        rules.forEachRecord { record in
            guard !rules.allowsEverything(record) else { return }
            let place = rules.rule(of: record).place
            guard !places(widerThan: place).isEmpty, seen.insert(place).inserted else { return }
            narrow.append(place)
        }
        return narrow
    }

    /// The places of the list that contain `place`, from the narrowest to the widest.
    private func places(widerThan place: SiteRule.Place) -> [SiteRule.Place] {
        switch place {
        case .name(let name), .below(let name):
            name.indices.lazy.filter { name[$0] == UInt8(ascii: ".") && wildcards.contains(name[($0 + 1)...]) }
                .map { .below(Array(name[($0 + 1)...])) }
        case .ipv4(let network):
            (0..<network.length).reversed().lazy
                .map { .ipv4(IPNetwork(containing: network.address, length: $0)) }
                .filter(networks.contains)
        case .ipv6(let network):
            (0..<network.length).reversed().lazy
                .map { .ipv6(IPNetwork(containing: network.address, length: $0)) }
                .filter(networks.contains)
        }
    }
}

extension SiteListEntries {
    /// Whether a record is a rule for both schemes and every port of a name.
    fileprivate func allowsEverything(_ record: Record) -> Bool {
        !record.traits.contains(.isOther) && record.traits.isSuperset(of: [.speaksHTTP, .speaksHTTPS, .hasAnyPort])
    }
}

extension SiteRule {
    /// Whether this rule fits each request that `other` fits, for a host of both.
    func allowsAll(of other: SiteRule) -> Bool {
        path == nil && (schemes == .both || schemes == other.schemes) && (port == .any || port == other.port)
    }
}
