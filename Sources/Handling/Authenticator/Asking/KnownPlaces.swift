internal import ChallengeHandling
internal import Hostnames

/// The places of accounts whose credentials come from sources. A new profile may bring others.
struct KnownPlaces: Sendable {
    let all: [AccountPlace]
    let era: UInt64
    private let table: AssignmentTable
    /// The places whose tokens go along; `nil` without one.
    private let placements: AssignmentTable?

    /// - Parameter era: how many sets of places there were before.
    /// - Throws: `ProfileError` if a rule cannot be read, or two places have one rule.
    init(_ places: [AccountPlace], era: UInt64) throws(ProfileError) {
        self.era = era
        all = places.map { place in
            var place = place
            place.era = era
            return place
        }
        let (sites, owner) = (places.map(\.sites), { places[$0].name })
        let isPlaced = { places[$0].placement != nil }
        table = try AssignmentTable(sites: sites, owner: owner) { !isPlaced($0) }
        placements =
            places.indices.contains(where: isPlaced)
            ? try AssignmentTable(sites: sites, owner: owner, including: isPlaced) : nil
    }

    /// The place with the narrowest rule for a path of an origin, of those whose credentials answer challenges.
    func place(for origin: Origin, path: String) -> AccountPlace? {
        table.assignment(for: origin, path: path).map { all[$0] }
    }

    /// The path of the rule that finds the place; `nil` for a rule of all paths, and without a place.
    func rulePath(for origin: Origin, path: String) -> String? { table.rulePath(for: origin, path: path) }

    /// The same, of those whose tokens go along with requests.
    func placement(for origin: Origin, path: String) -> AccountPlace? {
        placements?.assignment(for: origin, path: path).map { all[$0] }
    }

    var hasTokenSources: Bool { all.contains { $0.tokens != nil } }
}
