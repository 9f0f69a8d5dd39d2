/// Finds the rules of a list that are about some of the hosts of another rule.
struct NarrowerRules {
    private let entries: [SiteList.Entry]
    /// The positions of the rules of each host pattern.
    private var own: [SiteRule.Place: [Int]] = [:]
    /// The positions of the rules inside each wildcard of the list, including its own, in the order of lines.
    private var insideWildcard: [ArraySlice<UInt8>: [Int]] = [:]
    /// The positions of the rules about addresses.
    private var addresses: [Int] = []

    init(_ entries: [SiteList.Entry]) {
        self.entries = entries
        for entry in entries {
            if case .below(let name) = entry.rule.place { insideWildcard[name[...]] = [] }
        }
        for (position, entry) in entries.enumerated() {
            own[entry.rule.place, default: []].append(position)
            switch entry.rule.place {
            case .name(let name): addInside(name, position, itself: false)
            case .below(let name): addInside(name, position, itself: true)
            case .ipv4, .ipv6: addresses.append(position)
            }
        }
    }

    private mutating func addInside(_ name: [UInt8], _ position: Int, itself: Bool) {
        if itself { insideWildcard[name[...]]?.append(position) }
        for dot in name.indices where name[dot] == UInt8(ascii: ".") {
            insideWildcard[name[(dot + 1)...]]?.append(position)
        }
    }

    /// The rules about all or some hosts of `place`.
    func inside(_ place: SiteRule.Place) -> [SiteList.Entry] {
        switch place {
        case .name: rules(of: place)
        case .below(let name): (insideWildcard[name[...]] ?? []).map { entries[$0] }
        case .ipv4, .ipv6: addresses.map { entries[$0] }.filter { place.contains($0.rule.place) }
        }
    }

    /// The rules about exactly the hosts of `place`.
    func rules(of place: SiteRule.Place) -> [SiteList.Entry] {
        (own[place] ?? []).map { entries[$0] }
    }
}

extension SiteRule.Place {
    /// Whether this network contains all addresses of `other`.
    fileprivate func contains(_ other: SiteRule.Place) -> Bool {
        switch (self, other) {
        case (.ipv4(let wide), .ipv4(let narrow)): wide.contains(narrow)
        case (.ipv6(let wide), .ipv6(let narrow)): wide.contains(narrow)
        default: false
        }
    }
}

extension IPNetwork {
    fileprivate func contains(_ other: IPNetwork) -> Bool {
        length <= other.length && IPNetwork(containing: other.address, length: length) == self
    }
}
