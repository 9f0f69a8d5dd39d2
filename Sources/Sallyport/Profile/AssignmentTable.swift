internal import AllowedSites
internal import Hostnames

/// Finds what is assigned to an origin: one trie over the rules of all assignments.
struct AssignmentTable: Sendable {
    private let trie: SiteTrie
    /// The assignment of the rule on line *n* is at index *n* - 1.
    private let assignmentOfLine: [Int]

    /// Compiles the rules of every assignment; `owner(i)` names assignment `i` in errors.
    init(sites: [[String]], owner: (Int) -> String) throws(ProfileError) {
        var lines: [String] = []
        var assignmentOfLine: [Int] = []
        var ownerOfRule: [String: Int] = [:]
        for (index, rules) in sites.enumerated() {
            guard !rules.isEmpty else { throw .assignmentWithoutSites(name: owner(index)) }
            for rule in rules {
                if let first = ownerOfRule.updateValue(index, forKey: rule) {
                    throw .ruleAssignedTwice(rule: rule, first: owner(first), second: owner(index))
                }
                // A line break or a comment sign would make one rule into something else.
                guard !rule.contains(where: { $0.isNewline || $0 == "#" }), !rule.hasPrefix("!") else {
                    throw .invalidAssignmentRule(name: owner(index), rule: rule, reason: "not a plain allowing rule")
                }
                lines.append(rule)
                assignmentOfLine.append(index)
            }
        }
        do throws(SiteListError) {
            let list = try SiteList(parsing: lines.joined(separator: "\n"), name: "assignments")
            trie = SiteTrie(compiling: list)
        } catch {
            guard case .badLines(let problems) = error, let problem = problems.first else { throw .tooManyRules }
            let index = problem.line - 1
            throw .invalidAssignmentRule(
                name: owner(assignmentOfLine[index]),
                rule: lines[index],
                reason: "\(problem.reason)"
            )
        }
        self.assignmentOfLine = assignmentOfLine
    }

    /// The assignment whose most specific rule covers `path` at `origin`.
    func assignment(for origin: Origin, path: String) -> Int? {
        guard case .allowed(let rule) = trie.verdict(for: origin, path: path) else { return nil }
        return assignmentOfLine[rule.line - 1]
    }
}
