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
/// This form is plain: dictionaries of places. A place with many rules is searched from end to end.
public struct SiteTrie: Sendable {
    /// Every rule, in the order of the lists; a ``RuleReference`` is a position here.
    let entries: [Entry]
    /// The names of the lists, in the order they were added.
    let listNames: [String]
    /// Positions of `entries`, grouped by place, in each group the winner of two fitting rules first.
    let order: [Int]
    let places: [Place]
    /// Whole names, and what stands behind `*.`; a slice as key lets a part of a name be looked up without a copy.
    let exactNames: [ArraySlice<UInt8>: Int]
    let wildcards: [ArraySlice<UInt8>: Int]
    let ipv4Networks: NetworkTable<UInt32>
    let ipv6Networks: NetworkTable<UInt128>

    /// A rule, its line and the position of its list.
    struct Entry: Sendable {
        let rule: SiteRule
        let line: Int
        let list: Int
    }

    /// The rules that stand for one host, wildcard or network.
    struct Place: Sendable {
        /// Positions in `order`.
        let rules: Range<Int>
        let hasAllowance: Bool
        let hasPaths: Bool
    }
}

extension SiteTrie {
    /// Compiles one list.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rules.
    public init(compiling list: SiteList) {
        var builder = SiteTrieBuilder()
        builder.add(list)
        self = builder.build()
    }

    /// How many rules there are.
    public var count: Int { entries.count }

    /// The rule that a verdict refers to, or `nil` if the reference is not of this trie.
    public func rule(at reference: RuleReference) -> SiteRule? {
        entry(at: reference)?.rule
    }

    /// The name of the list in which a rule stands, or `nil` if the reference is not of this trie.
    public func listName(of reference: RuleReference) -> String? {
        entry(at: reference).map { listNames[$0.list] }
    }

    private func entry(at reference: RuleReference) -> Entry? {
        guard entries.indices.contains(reference.position) else { return nil }
        let entry = entries[reference.position]
        return entry.line == reference.line ? entry : nil
    }
}

/// Networks of one address family, by their lengths.
struct NetworkTable<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// The lengths that occur, longest first.
    let lengths: [Int]
    let places: [IPNetwork<Address>: Int]

    init(_ places: [IPNetwork<Address>: Int]) {
        self.places = places
        lengths = Set(places.keys.map(\.length)).sorted(by: >)
    }

    /// The place of the next shorter network around `address`; `step` says how many lengths were tried.
    func next(around address: Address, _ step: inout Int) -> Int? {
        while step < lengths.count {
            let network = IPNetwork(containing: address, length: lengths[step])
            step += 1
            if let place = places[network] { return place }
        }
        return nil
    }
}
