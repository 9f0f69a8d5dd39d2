/// Decides whether credentials may go to a URL; immutable, so any number of threads may ask.
///
/// The trie is over reversed labels. Its nodes lie in one perfect-hash table, keyed by their suffix, behind a blocked
/// Bloom filter; `AllowedSites.md` describes the parts.
///
/// The most specific host decides: an exact name before the longest wildcard, a longer network before a shorter one.
/// Among the rules of that host that fit scheme, port and path, the longest path wins, and at equal length the
/// exception. If a host has allowing rules and none of its rules fits, the answer is no and wider rules are not asked.
/// If a host has only exceptions and none of them fits, the next wider rule decides.
///
/// ```text
/// *://*.host.example:*
/// wiki.host.example/public
/// !login.host.example
/// !docs.host.example/admin
/// ```
///
/// | URL | verdict | reason |
/// |---|---|---|
/// | `https://wiki.host.example/private` | denied | the wiki has a rule of its own, and its path differs |
/// | `http://wiki.host.example/public` | denied | the rule of the wiki means https |
/// | `http://login.host.example:8080/` | denied | an exception without scheme and port covers all of them |
/// | `https://docs.host.example/guide` | allowed by line 1 | the exception covers only `/admin` |
///
/// A trie is stored in one contiguous image, which can be written to a file and mapped.
public struct SiteTrie: Sendable {
    let image: TrieImage

    init(_ image: TrieImage) {
        self.image = image
    }
}

extension SiteTrie {
    /// Compiles one list.
    ///
    /// - Complexity: O(*n*) in the number of rules.
    public init(compiling list: SiteList) {
        var builder = SiteTrieBuilder()
        builder.add(list)
        self = builder.build()
    }

    /// The number of rules; equal rules count once.
    public var count: Int { image.ruleCount }

    /// The rule that a verdict refers to, or `nil` if the reference belongs to another trie.
    ///
    /// - Complexity: O(1) for names; O(log *n*) for networks and for rules with ports, schemes or paths.
    public func rule(at reference: RuleReference) -> SiteRule? {
        guard let rule = image.rule(reference.position), self.reference(to: reference.position) == reference else {
            return nil
        }
        return rule
    }

    /// All rules in the trie's own order; `nil` if there are more than `limit`.
    package func rules(atMost limit: Int) -> [SiteRule]? {
        guard count <= limit else { return nil }
        // Rules of names and networks have the numbers of their nodes; those of nodes with several rules come after.
        let numbers = image.slotCount + image.networkCount + image.listRuleCount
        return (0..<numbers).compactMap { image.rule($0) }
    }

    /// Whether the trie was compiled from more than one list.
    var hasSeveralLists: Bool { image.length(of: .lists) > 8 }

    /// The name of the list that contains a rule, or `nil` if the reference belongs to another trie.
    public func listName(of reference: RuleReference) -> String? {
        guard rule(at: reference) != nil, let origin = image.origin(of: reference.position) else { return nil }
        return image.listName(origin.list)
    }

    func reference(to number: Int) -> RuleReference {
        RuleReference(line: image.origin(of: number)?.line ?? 0, position: number)
    }
}
