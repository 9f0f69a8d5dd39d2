internal import Hostnames

/// Collects lists and makes a ``SiteTrie`` of them.
///
/// Rules of all lists stand side by side, as if the lists were one; equal rules are no error, and the first one is named.
public struct SiteTrieBuilder: Sendable {
    private var lists: [SiteList] = []

    /// Makes a builder without rules.
    public init() {}

    /// Adds the rules of `list` behind those that are there.
    public mutating func add(_ list: SiteList) {
        lists.append(list)
    }

    /// Compiles what was added.
    ///
    /// - Parameters:
    ///   - keepingLines: whether verdicts can name lines and lists. Without them an image is a few bytes a rule smaller, and
    ///     the same rules make the same bytes whatever order they stand in; every line is then 0.
    ///   - layout: how the image keeps its keys.
    /// - Complexity: O(*n*) in the number of rules.
    public func build(keepingLines: Bool = true, layout: TrieLayout = .fast) -> SiteTrie {
        build(keepingLines: keepingLines, layout: layout, rangesFrom: NetworkRanges.worthwhileCount)
    }

    /// Compiles what was added, and flattens IPv4 networks from `rangesFrom` on; see ``NetworkRanges``.
    package func build(keepingLines: Bool, layout: TrieLayout, rangesFrom: Int) -> SiteTrie {
        let source = RuleSource(lists)
        var rules = RuleGroups(source, layout == .compact ? HuffmanCodeBuilder(source).code() : nil)
        var attempt: UInt64 = 0
        while true {
            do throws(KeyCompiler.EqualHashes) {
                let hash = KeyHash(contentSum: rules.contentSum, attempt: attempt)
                return SiteTrie(
                    try ImageCompiler.image(
                        of: &rules,
                        source,
                        hash,
                        keepingLines: keepingLines,
                        rangesFrom: rangesFrom
                    )
                )
            } catch {
                // Two of ten million keys have one hash of 64 bits once in 400,000 lists.
                attempt += 1
            }
        }
    }
}
