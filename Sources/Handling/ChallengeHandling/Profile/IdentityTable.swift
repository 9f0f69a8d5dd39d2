internal import AllowedSites
internal import Hostnames

/// Finds the identities of an origin. Unlike accounts, several identities may have one rule: a person chooses among them.
struct IdentityTable: Sendable {
    private let table: AssignmentTable
    /// The identities of each assignment of the table.
    private let groups: [[Int]]

    /// Compiles the rules of all identities; `owner(i)` is the name of identity `i` for errors.
    init(sites: [[String]], owner: (Int) -> String) throws(ProfileError) {
        var groupOfRule: [SiteRule: Int] = [:]
        var (rules, groups): ([[String]], [[Int]]) = ([], [])
        for (index, texts) in sites.enumerated() {
            guard !texts.isEmpty else { throw .assignmentWithoutSites(name: owner(index)) }
            for text in texts {
                let rule = try AssignmentTable.rule(text, owner: owner(index))
                guard let group = groupOfRule[rule] else {
                    groupOfRule[rule] = groups.count
                    rules.append([text])
                    groups.append([index])
                    continue
                }
                // One identity with one rule twice is a mistake.
                guard !groups[group].contains(index) else {
                    throw .ruleAssignedTwice(rule: text, first: owner(index), second: owner(index))
                }
                groups[group].append(index)
            }
        }
        let first = groups.map { $0[0] }
        table = try AssignmentTable(sites: rules) { owner(first[$0]) }
        self.groups = groups
    }

    /// The identities whose most specific rule covers the origin. A handshake comes before any path.
    func identities(for origin: Origin) -> [Int] {
        table.assignment(for: origin, path: "/").map { groups[$0] } ?? []
    }
}
