internal import AllowedSites
internal import Hostnames

/// Finds the assignment of an origin with one trie over the rules of all assignments.
struct AssignmentTable: Sendable {
    private let trie: SiteTrie
    /// The assignment of the rule on line *n* is at index *n* - ``firstLine``.
    private let assignmentOfLine: [Int]

    /// Wildcards over public suffixes are allowed here, because these rules only choose between accounts. The profile's
    /// sites decide which origins may receive credentials.
    private static let directive = "#! allow-public-suffix"
    private static let firstLine = 2

    /// Compiles the rules of all assignments; `owner(i)` is the name of assignment `i` for errors.
    init(sites: [[String]], owner: (Int) -> String) throws(ProfileError) {
        var lines = [Self.directive]
        var assignmentOfLine: [Int] = []
        // Keyed by the parsed rule, because "*.a.example" and "https://*.a.example" are one rule.
        var ownerOfRule: [SiteRule: Int] = [:]
        for (index, texts) in sites.enumerated() {
            guard !texts.isEmpty else { throw .assignmentWithoutSites(name: owner(index)) }
            for text in texts {
                let rule = try Self.rule(text, owner: owner(index))
                if let first = ownerOfRule.updateValue(index, forKey: rule) {
                    throw .ruleAssignedTwice(rule: text, first: owner(first), second: owner(index))
                }
                lines.append("\(rule)")
                assignmentOfLine.append(index)
            }
        }
        do throws(SiteListError) {
            trie = SiteTrie(compiling: try SiteList(parsing: lines.joined(separator: "\n"), name: "assignments"))
        } catch {
            // Each line is a rule that was parsed before, so only the number of lines can be wrong.
            throw .tooManyRules
        }
        self.assignmentOfLine = assignmentOfLine
    }

    /// The assignment whose most specific rule covers `path` at `origin`.
    func assignment(for origin: Origin, path: String) -> Int? {
        guard case .allowed(let rule) = trie.verdict(for: origin, path: path) else { return nil }
        assert(assignmentOfLine.indices.contains(rule.line - Self.firstLine))
        return assignmentOfLine[rule.line - Self.firstLine]
    }

    private static func rule(_ text: String, owner: String) throws(ProfileError) -> SiteRule {
        let rule: SiteRule
        do throws(SiteRuleError) {
            rule = try SiteRule(parsing: text, allowingPublicSuffix: true)
        } catch {
            throw .invalidAssignmentRule(name: owner, rule: text, reason: "\(error)")
        }
        guard !rule.isException else { throw .exceptionAssigned(name: owner, rule: text) }
        return rule
    }
}
