/// Which authorities' keys can issue below which, as far as the recording's chains show it.
struct AuthorityGraph: Sendable {
    /// For each key, the authorities' keys that stood below it in some chain, itself not among them, in ascending order.
    private let below: [Int32: [Int32]]
    private let organisationOfKey: [Int32: Int32]
    /// Every authority's key, in ascending order.
    let all: [Int32]

    init(_ numbering: KeyNumbering) {
        var below: [Int32: Set<Int32>] = [:]
        for chain in numbering.chains where chain.leaf >= 0 {
            for upper in chain.keys.indices.dropFirst() {
                var keys = below[chain.keys[upper]] ?? []
                let known = keys.count
                for key in chain.keys[1..<upper] where key != chain.keys[upper] { keys.insert(key) }
                if keys.count > known || below[chain.keys[upper]] == nil { below[chain.keys[upper]] = keys }
            }
        }
        self.below = below.mapValues { $0.sorted() }
        all = below.keys.sorted()
        organisationOfKey = Dictionary(uniqueKeysWithValues: all.map { ($0, numbering.organisation(ofKey: $0)) })
    }

    /// Whether `key` stood above a leaf in some chain.
    func isAuthority(_ key: Int32) -> Bool { below[key] != nil }

    /// What could impersonate a host that accepts any chain with one of `keys` in it.
    ///
    /// - Parameter keys: a key and whether it may stand above the leaf.
    func impersonators(accepting keys: [(key: Int32, mayIssue: Bool)]) -> Exposure {
        var all: Set<Int32> = []
        // A key that the recording does not have (-1) may be anybody's, and impersonates nobody in it.
        for (key, mayIssue) in keys where key >= 0 {
            all.insert(key)
            if mayIssue { all.formUnion(below[key] ?? []) }
        }
        return exposure(of: all)
    }

    /// What could impersonate a host without pins.
    var unpinned: Exposure { exposure(of: Set(all)) }

    private func exposure(of keys: Set<Int32>) -> Exposure {
        let authorities = keys.filter(isAuthority)
        return Exposure(
            keys: keys.count,
            authorities: authorities.count,
            organisations: Set(authorities.compactMap { organisationOfKey[$0] }).count
        )
    }
}

/// How many parties could impersonate a host to those who have its pins.
public struct Exposure: Codable, Equatable, Sendable {
    /// Private keys, each of which suffices.
    public let keys: Int
    /// How many of them are certificate authorities'.
    public let authorities: Int
    /// To how many organisations those belong.
    public let organisations: Int
}
