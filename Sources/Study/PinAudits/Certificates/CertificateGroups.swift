internal import SPKIPins

/// Certificates by a name and, as far as they tell one, a key identifier.
///
/// What issues one certificate of a group, or is issued by it, does so with all of them. Thousands may have one name: a walk that asks
/// for groups, each once, passes over such a crowd once, and not once for each member.
struct CertificateGroups {
    /// What a certificate asks for: a name, and the identifier unless it tells none and takes all of that name.
    struct Query: Hashable {
        let name: KnownCertificate.Name
        let identifier: [UInt8]?
    }

    /// Certificates in their order, and their keys, each once.
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
    /// Keys of all groups of a name, each once.
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

    /// The groups that go with who asks so: of an identifier, those that tell the same one or none.
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
