internal import AllowedSites
package import Hostnames

/// Finds the assignment of an origin and a path, with a trie over the rules of all assignments.
///
/// In a list of sites a rule for one path of a host closes the other paths of that host, also to a wildcard. An assignment for one path
/// leaves the others to wider assignments, which are in a trie of their own.
package struct AssignmentTable: Sendable {
    /// Rules and the assignments that they belong to.
    private struct Rules {
        var lines = [AssignmentTable.directive]
        /// The assignment of the rule on line *n* is at index *n* - ``firstLine``.
        var assignmentOfLine: [Int] = []

        mutating func add(_ rule: SiteRule, of assignment: Int) {
            lines.append("\(rule)")
            assignmentOfLine.append(assignment)
        }

        func compiled() throws(ProfileError) -> SiteTrie {
            do throws(SiteListError) {
                return SiteTrie(compiling: try SiteList(parsing: lines.joined(separator: "\n"), name: "assignments"))
            } catch {
                // Each line is a rule that was parsed before, so only the number of lines can be wrong.
                throw .tooManyRules
            }
        }
    }

    /// The rules without a path. A class, so that a copy of the table counts one reference more.
    private final class WholeHosts: Sendable {
        let trie: SiteTrie
        let assignmentOfLine: [Int]

        init(_ rules: Rules) throws(ProfileError) {
            trie = try rules.compiled()
            assignmentOfLine = rules.assignmentOfLine
        }
    }

    private let trie: SiteTrie
    /// The assignment of the rule on line *n* is at index *n* - ``firstLine``.
    private let assignmentOfLine: [Int]
    /// `nil` if no rule has a path.
    private let wholeHosts: WholeHosts?

    /// Wildcards over public suffixes are allowed here, because these rules only choose between accounts. The profile's
    /// sites decide which origins may receive credentials.
    private static let directive = "#! allow-public-suffix"
    private static let firstLine = 2

    /// Compiles the rules of assignments; `owner(i)` is the name of assignment `i` for errors.
    ///
    /// - Parameter includes: whether assignment `i` is in the table; another one may have its rules in another table.
    package init(
        sites: [[String]],
        owner: (Int) -> String,
        including includes: (Int) -> Bool = { _ in true }
    ) throws(ProfileError) {
        var (all, wholeHosts) = (Rules(), Rules())
        // Keyed by the parsed rule, because "*.a.example" and "https://*.a.example" are one rule.
        var ownerOfRule: [SiteRule: Int] = [:]
        for (index, texts) in sites.enumerated() where includes(index) {
            guard !texts.isEmpty else { throw .assignmentWithoutSites(name: owner(index)) }
            for text in texts {
                let rule = try Self.rule(text, owner: owner(index))
                if let first = ownerOfRule.updateValue(index, forKey: rule) {
                    throw .ruleAssignedTwice(rule: text, first: owner(first), second: owner(index))
                }
                all.add(rule, of: index)
                if rule.path == nil { wholeHosts.add(rule, of: index) }
            }
        }
        trie = try all.compiled()
        assignmentOfLine = all.assignmentOfLine
        let hasPaths = wholeHosts.assignmentOfLine.count < all.assignmentOfLine.count
        self.wholeHosts = hasPaths ? try WholeHosts(wholeHosts) : nil
    }

    /// The assignment of all paths of `origin`; `nil` if there is none, or it depends on the path.
    func assignment(forAllPathsOf origin: Origin) -> Int? {
        guard case .allowed(let rule)? = trie.verdict(forAllPathsOf: origin) else { return nil }
        return assignmentOfLine[rule.line - Self.firstLine]
    }

    /// The assignment whose most specific rule covers `path` at `origin`.
    package func assignment(for origin: Origin, path: String) -> Int? {
        let verdict = trie.verdict(for: origin, path: path)
        guard case .allowed(let rule) = verdict else { return widerAssignment(for: origin, path: path, verdict) }
        assert(assignmentOfLine.indices.contains(rule.line - Self.firstLine))
        return assignmentOfLine[rule.line - Self.firstLine]
    }

    /// The assignment of a path that no rule for paths covers. With an uncertain path a server may mean one that a rule
    /// covers, so it has none.
    private func widerAssignment(for origin: Origin, path: String, _ verdict: SiteVerdict) -> Int? {
        guard let wholeHosts, case .denied(.otherPath) = verdict,
            case .allowed(let rule) = wholeHosts.trie.verdict(for: origin, path: path)
        else { return nil }
        return wholeHosts.assignmentOfLine[rule.line - Self.firstLine]
    }

    /// The rule by which ``assignment(for:path:)`` finds its assignment.
    func rule(for origin: Origin, path: String) -> SiteRule? {
        switch trie.verdict(for: origin, path: path) {
        case .allowed(let rule): return trie.rule(at: rule)
        case .denied(.otherPath):
            guard let wholeHosts, case .allowed(let rule) = wholeHosts.trie.verdict(for: origin, path: path) else {
                return nil
            }
            return wholeHosts.trie.rule(at: rule)
        case .denied, .invalid: return nil
        }
    }

    /// The path of the rule by which ``assignment(for:path:)`` finds its assignment; `nil` for a rule of all paths, and without a rule.
    package func rulePath(for origin: Origin, path: String) -> String? { rule(for: origin, path: path)?.path?.text }

    static func rule(_ text: String, owner: String) throws(ProfileError) -> SiteRule {
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
