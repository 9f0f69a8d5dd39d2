/// Answers whether credentials may go to a place; immutable, so any number of threads may ask.
///
/// The most specific host decides: an exact name before the longest wildcard, a longer network before a shorter one.
/// Among the rules that stand for that host and fit scheme, port and path, the longest path wins, and at equal length the
/// exception. Where a host has allowing rules and none of its rules fits, the answer is no, and wider rules are not asked;
/// a host that has nothing but exceptions, none of which fits, leaves the answer to the next wider rule.
///
/// ```text
/// *://*.host.example:*
/// wiki.host.example/public
/// !login.host.example
/// !docs.host.example/admin
/// ```
///
/// `https://wiki.host.example/private` and `http://wiki.host.example/public` are denied, since the list says for the wiki
/// what is meant of it. `http://login.host.example:8080/` is denied: an exception that names no scheme and no port is about
/// all of them. `https://docs.host.example/guide` is allowed by the first line, since the exception is about `/admin` only.
///
/// A trie is one run of bytes, its image, which can be written to a file and mapped from there.
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

    /// How many rules there are; rules that are equal count once.
    public var count: Int { image.ruleCount }

    /// The rule that a verdict refers to, or `nil` if the reference is not of this trie.
    ///
    /// - Complexity: O(1) for names; networks and rules with ports, schemes or paths are searched for.
    public func rule(at reference: RuleReference) -> SiteRule? {
        guard let rule = image.rule(reference.position), self.reference(to: reference.position) == reference else {
            return nil
        }
        return rule
    }

    /// Whether the rules are of more than one list.
    var hasSeveralLists: Bool { unsafe image.bytes(.lists).count > 8 }

    /// The name of the list in which a rule stands, or `nil` if the reference is not of this trie.
    public func listName(of reference: RuleReference) -> String? {
        guard rule(at: reference) != nil, let origin = image.origin(of: reference.position) else { return nil }
        return image.listName(origin.list)
    }

    func reference(to number: Int) -> RuleReference {
        RuleReference(line: image.origin(of: number)?.line ?? 0, position: number)
    }
}
