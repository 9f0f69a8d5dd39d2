/// Collects lists and makes a ``SiteTrie`` of them.
///
/// Rules of all lists stand side by side, as if the lists were one; equal rules are no error, and the first one is named.
public struct SiteTrieBuilder: Sendable {
    private var entries: [SiteTrie.Entry] = []
    private var listNames: [String] = []

    /// Makes a builder without rules.
    public init() {}

    /// Adds the rules of `list` behind those that are there.
    public mutating func add(_ list: SiteList) {
        for entry in list.entries {
            entries.append(.init(rule: entry.rule, line: entry.line, list: listNames.count))
        }
        listNames.append(list.name)
    }

    /// Compiles what was added.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rules.
    public func build() -> SiteTrie {
        var groups: [SiteRule.Place: [Int]] = [:]
        for position in entries.indices { groups[entries[position].rule.place, default: []].append(position) }
        var order: [Int] = []
        var places: [SiteTrie.Place] = []
        var exactNames: [ArraySlice<UInt8>: Int] = [:]
        var wildcards: [ArraySlice<UInt8>: Int] = [:]
        var ipv4: [IPNetwork<UInt32>: Int] = [:]
        var ipv6: [IPNetwork<UInt128>: Int] = [:]
        order.reserveCapacity(entries.count)
        for (place, positions) in groups {
            switch place {
            case .name(let name): exactNames[name[...]] = places.count
            case .below(let name): wildcards[name[...]] = places.count
            case .ipv4(let network): ipv4[network] = places.count
            case .ipv6(let network): ipv6[network] = places.count
            }
            let start = order.count
            order += positions.sorted(by: isBefore)
            places.append(
                SiteTrie.Place(
                    rules: start..<order.count,
                    hasAllowance: positions.contains { !entries[$0].rule.isException },
                    hasPaths: positions.contains { entries[$0].rule.path != nil }
                )
            )
        }
        return SiteTrie(
            entries: entries,
            listNames: listNames,
            order: order,
            places: places,
            exactNames: exactNames,
            wildcards: wildcards,
            ipv4Networks: NetworkTable(ipv4),
            ipv6Networks: NetworkTable(ipv6)
        )
    }

    /// Which of two rules of one place wins where both fit: the longer path, then the exception, then the earlier line.
    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        let (first, second) = (entries[one].rule, entries[other].rule)
        let lengths = (first.path?.segmentCount ?? 0, second.path?.segmentCount ?? 0)
        if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
        if first.isException != second.isException { return first.isException }
        return one < other
    }
}
