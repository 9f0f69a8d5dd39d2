internal import Hostnames

/// Collects lists and compiles them to one ``SiteTrie``.
///
/// The rules of all lists count as if they were one list. Equal rules are accepted; a verdict names the first of them.
public struct SiteTrieBuilder: Sendable {
    private var lists: [SiteList] = []

    /// Makes an empty builder.
    public init() {}

    /// Appends the rules of `list`.
    public mutating func add(_ list: SiteList) {
        lists.append(list)
    }

    /// Compiles the added lists.
    ///
    /// - Parameters:
    ///   - keepingLines: whether verdicts can name lines and lists. If false, the image is a few bytes a rule smaller,
    ///     the same rules in any order make the same bytes, and every line is 0.
    ///   - layout: how the image stores keys.
    /// - Complexity: O(*n*) in the number of rules.
    public func build(keepingLines: Bool = true, layout: TrieLayout = .fast) -> SiteTrie {
        build(keepingLines: keepingLines, layout: layout, rangesFrom: NetworkRanges.worthwhileCount)
    }

    /// Compiles the added lists. From `rangesFrom` IPv4 networks on, they are stored as ``NetworkRanges``.
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
                // Among ten million keys, two have the same 64-bit hash in one of 400,000 lists. Another seed separates
                // them.
                attempt += 1
            }
        }
    }
}
