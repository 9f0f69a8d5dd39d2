internal import AllowedSites
internal import Hostnames

/// Finds the assignment of an origin and a path.
///
/// Rules with paths have a trie of their own, which is asked first. In a list of sites a rule for one path of a host closes the
/// other paths of that host, also to a wildcard. An assignment for one path leaves the others to wider assignments.
struct AssignmentTable: Sendable {
    /// Rules and the assignments that they belong to.
    private struct Rules {
        var lines = [AssignmentTable.directive]
        /// The assignment of the rule on line *n* is at index *n* - ``firstLine``.
        var assignmentOfLine: [Int] = []

        mutating func add(_ rule: SiteRule, of assignment: Int) {
            lines.append("\(rule)")
            assignmentOfLine.append(assignment)
        }

        func compiled() throws(ProfileError) -> Part {
            do throws(SiteListError) {
                let list = try SiteList(parsing: lines.joined(separator: "\n"), name: "assignments")
                return Part(trie: SiteTrie(compiling: list), assignmentOfLine: assignmentOfLine)
            } catch {
                // Each line is a rule that was parsed before, so only the number of lines can be wrong.
                throw .tooManyRules
            }
        }
    }

    private struct Part: Sendable {
        let trie: SiteTrie
        let assignmentOfLine: [Int]

        func assignment(_ rule: RuleReference) -> Int {
            assert(assignmentOfLine.indices.contains(rule.line - AssignmentTable.firstLine))
            return assignmentOfLine[rule.line - AssignmentTable.firstLine]
        }
    }

    private let wholeHosts: Part
    /// `nil` without such rules, as in most profiles.
    private let paths: Part?

    /// Wildcards over public suffixes are allowed here, because these rules only choose between accounts. The profile's
    /// sites decide which origins may receive credentials.
    private static let directive = "#! allow-public-suffix"
    private static let firstLine = 2

    /// Compiles the rules of all assignments; `owner(i)` is the name of assignment `i` for errors.
    init(sites: [[String]], owner: (Int) -> String) throws(ProfileError) {
        var (whole, paths) = (Rules(), Rules())
        // Keyed by the parsed rule, because "*.a.example" and "https://*.a.example" are one rule.
        var ownerOfRule: [SiteRule: Int] = [:]
        for (index, texts) in sites.enumerated() {
            guard !texts.isEmpty else { throw .assignmentWithoutSites(name: owner(index)) }
            for text in texts {
                let rule = try Self.rule(text, owner: owner(index))
                if let first = ownerOfRule.updateValue(index, forKey: rule) {
                    throw .ruleAssignedTwice(rule: text, first: owner(first), second: owner(index))
                }
                if rule.path == nil { whole.add(rule, of: index) } else { paths.add(rule, of: index) }
            }
        }
        wholeHosts = try whole.compiled()
        self.paths = paths.assignmentOfLine.isEmpty ? nil : try paths.compiled()
    }

    /// The assignment whose most specific rule covers `path` at `origin`.
    func assignment(for origin: Origin, path: String) -> Int? {
        if let paths {
            switch paths.trie.verdict(for: origin, path: path) {
            case .allowed(let rule): return paths.assignment(rule)
            // A server may read the path as one of another assignment.
            case .denied(.uncertainPath), .invalid: return nil
            case .denied: break
            }
        }
        guard case .allowed(let rule) = wholeHosts.trie.verdict(for: origin, path: path) else { return nil }
        return wholeHosts.assignment(rule)
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
