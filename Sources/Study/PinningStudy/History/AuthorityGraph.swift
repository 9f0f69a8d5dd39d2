/// Which authorities' keys can issue below which, as far as the recording's chains show it.
struct AuthorityGraph: Sendable {
    /// Every authority's key, in ascending order.
    let all: [Int32]
    /// The place of each key in ``all``; -1 for what stood above no leaf.
    private let places: [Int32]
    /// For each of ``all``, the authorities' keys that stood below it in some chain, itself not among them.
    private let below: [[Int32]]
    /// For each of ``all``, whose it is.
    private let organisations: [Int32]

    init(_ numbering: KeyNumbering) {
        let keys = numbering.chainKeys
        var below: [Int32: Set<Int32>] = [:]
        var last = 0..<0
        for chain in numbering.chains where chain.leaf >= 0 {
            let authorities = chain.places.dropFirst()
            // Chains of one host mostly differ in their leaf alone.
            if keys[last].elementsEqual(keys[authorities]) { continue }
            last = authorities
            for upper in authorities {
                let lower = keys[authorities.lowerBound..<upper].lazy.filter { $0 != keys[upper] }
                below[keys[upper], default: []].formUnion(lower)
            }
        }
        let all = below.keys.sorted()
        var places = [Int32](repeating: -1, count: numbering.keys.count)
        for (place, key) in all.enumerated() { places[Int(key)] = Int32(place) }
        self.all = all
        self.places = places
        self.below = all.map { below[$0]?.sorted() ?? [] }
        organisations = all.map { numbering.organisation(ofKey: $0) }
    }

    /// What could impersonate a host that accepts any chain with one of `keys` in it.
    ///
    /// - Parameters:
    ///   - keys: a key and whether it may stand above the leaf.
    ///   - own: the key that the host has now; whoever steals it needs no authority.
    func impersonators(own: Int32, accepting keys: some Sequence<(key: Int32, mayIssue: Bool)>) -> Exposure {
        var found = [own]
        found.reserveCapacity(16)
        // A key that the recording does not have (-1) may be anybody's, and impersonates nobody in it.
        for (key, mayIssue) in keys where key >= 0 {
            found.append(key)
            if mayIssue, places[Int(key)] >= 0 { found += below[Int(places[Int(key)])] }
        }
        return exposure(of: found)
    }

    /// What could impersonate a host without pins.
    var unpinned: Exposure { exposure(of: all) }

    private func exposure(of keys: [Int32]) -> Exposure {
        let keys = Self.distinct(keys)
        let authorities = keys.compactMap { places[Int($0)] < 0 ? nil : Int(places[Int($0)]) }
        return Exposure(
            keys: keys.count,
            authorities: authorities.count,
            organisations: Self.distinct(authorities.map { organisations[$0] }).count
        )
    }

    /// Each once. There is mostly a handful, for which sets took a tenth of a replay.
    private static func distinct(_ numbers: [Int32]) -> [Int32] {
        var distinct: [Int32] = []
        distinct.reserveCapacity(numbers.count)
        for number in numbers.sorted() where number != distinct.last { distinct.append(number) }
        return distinct
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
