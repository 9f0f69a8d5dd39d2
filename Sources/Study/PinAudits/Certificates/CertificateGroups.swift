internal import SPKIPins

/// Certificates grouped by a name and an optional key identifier.
///
/// All certificates of a group have the same issuers, or the same issued certificates. Thousands of certificates may
/// have one name; a walk visits each group once, not once for each member.
struct CertificateGroups {
    /// A name and a key identifier. Without an identifier, the query matches all certificates of that name.
    struct Query: Hashable {
        let name: KnownCertificate.Name
        let identifier: [UInt8]?
    }

    /// Certificates in their order, and their distinct keys.
    struct Group {
        fileprivate(set) var members: [Int] = []
        fileprivate(set) var keys: [Pin] = []
        private var known: Set<Pin> = []

        fileprivate mutating func append(_ index: Int, _ key: Pin) {
            members.append(index)
            if known.insert(key).inserted { keys.append(key) }
        }
    }

    private(set) var groups: [Group] = []
    private var places: [Query: Int] = [:]
    private var placesOfName: [KnownCertificate.Name: [Int]] = [:]
    /// Distinct keys of all groups of a name.
    private var keysOfName: [KnownCertificate.Name: Group] = [:]

    mutating func append(_ index: Int, _ key: Pin, as query: Query) {
        let place = places[query] ?? groups.count
        if place == groups.count {
            groups.append(Group())
            places[query] = place
            placesOfName[query.name, default: []].append(place)
        }
        groups[place].append(index, key)
        keysOfName[query.name, default: Group()].append(index, key)
    }

    /// The groups that match a query. For a query with an identifier: the groups with the same identifier or without
    /// one.
    func matching(_ query: Query) -> [Int] {
        guard query.identifier != nil else { return placesOfName[query.name] ?? [] }
        return [places[query], places[Query(name: query.name, identifier: nil)]].compactMap(\.self)
    }

    /// Whether a member of these groups has another key than `own` and `keys`.
    ///
    /// - Complexity: O(*n*) in `keys`.
    func hasKey(matching query: Query, besides own: Pin, and keys: Set<Pin>) -> Bool {
        func isOther(_ key: Pin) -> Bool { key != own && !keys.contains(key) }
        guard query.identifier != nil else { return keysOfName[query.name]?.keys.contains(where: isOther) ?? false }
        return matching(query).contains { groups[$0].keys.contains(where: isOther) }
    }
}
