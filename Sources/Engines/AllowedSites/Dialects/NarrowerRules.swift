/// Finds, for a rule of a list, the rules of the list that speak of some of its hosts only.
struct NarrowerRules {
    private let entries: [SiteList.Entry]
    /// Positions of the rules of each place.
    private var own: [SiteRule.Place: [Int]] = [:]
    /// Positions of the rules inside each wildcard that the list has, its own included, in the order of lines.
    private var insideWildcard: [ArraySlice<UInt8>: [Int]] = [:]
    /// Positions of the rules about addresses.
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

    /// The rules about the hosts of `place`, or about some of them.
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
    /// Whether every address of `other` is one of this place.
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
