/// For each authority's key, the authorities' keys that appeared below it in a chain of the recording.
struct IssuedKeys: Sendable {
    /// Every authority's key, in ascending order.
    let all: [Int32]
    /// Index of each key in ``all``; -1 for a key that never appeared above a leaf.
    private let places: [Int32]
    /// For each of ``all``, the other authorities' keys that appeared below it in a chain.
    private let below: [[Int32]]
    /// For each of ``all``, the number of its organisation.
    private let organisations: [Int32]

    init(_ numbering: KeyNumbering) {
        let keys = numbering.chainKeys
        var below: [Int32: Set<Int32>] = [:]
        var last = 0..<0
        for chain in numbering.chains where chain.leaf >= 0 {
            let authorities = chain.places.dropFirst()
            // Successive chains of one host usually differ only in the leaf.
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

    /// Counts the keys that could impersonate a host whose clients accept any chain with one of `keys`.
    ///
    /// - Parameters:
    ///   - keys: each pinned key, and whether it may match a certificate above the leaf.
    ///   - own: the host's current key; a thief of this key needs no authority.
    func impersonators(own: Int32, accepting keys: some Sequence<(key: Int32, mayIssue: Bool)>) -> Exposure {
        var found = [own]
        found.reserveCapacity(16)
        // A key that is not in the recording (-1) has an unknown owner and is not counted.
        for (key, mayIssue) in keys where key >= 0 {
            found.append(key)
            if mayIssue, places[Int(key)] >= 0 { found += below[Int(places[Int(key)])] }
        }
        return exposure(of: found)
    }

    /// Counts the keys that could impersonate a host without pins: all authorities' keys.
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

    /// Removes duplicates. Sorting an array is used because a `Set` took a tenth of a replay; there are usually only a
    /// few numbers.
    private static func distinct(_ numbers: [Int32]) -> [Int32] {
        var distinct: [Int32] = []
        distinct.reserveCapacity(numbers.count)
        for number in numbers.sorted() where number != distinct.last { distinct.append(number) }
        return distinct
    }
}

/// How many parties could impersonate a host to users who have its pins.
public struct Exposure: Codable, Equatable, Sendable {
    /// Private keys, each of which is enough to impersonate the host.
    public let keys: Int
    /// How many of these keys belong to certificate authorities.
    public let authorities: Int
    /// How many organisations own the authorities' keys.
    public let organisations: Int
}
