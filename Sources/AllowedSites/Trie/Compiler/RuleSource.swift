/// The rules of all lists, one behind the other, and where each stands.
struct RuleSource {
    let lists: [SiteList]
    /// The position of each list's first rule, and the number of all rules.
    private let starts: [Int]
    /// How many lines the lists before each one have.
    let linesBefore: [Int]

    init(_ lists: [SiteList]) {
        self.lists = lists
        var starts = [0]
        var linesBefore: [Int] = []
        var lines = 0
        for list in lists {
            linesBefore.append(lines)
            starts.append(starts[starts.count - 1] + list.entries.count)
            lines += list.entries.last?.line ?? 0
        }
        self.starts = starts
        self.linesBefore = linesBefore
    }

    var count: Int { starts[starts.count - 1] }

    /// How many lines all lists have, as far as rules stand on them.
    var lineCount: Int { (linesBefore.last ?? 0) + (lists.last?.entries.last?.line ?? 0) }

    /// The rule at `position`.
    func rule(_ position: Int) -> SiteRule {
        let list = list(of: position)
        return lists[list].entries[position - starts[list]].rule
    }

    /// Calls `body` with the name that the rule at `position` is about, or returns `nil` for a network.
    func withName<Result>(_ position: Int, _ body: (SiteListEntries.Name) -> Result) -> Result? {
        let list = list(of: position)
        return lists[list].entries.withName(at: position - starts[list], body)
    }

    /// The line of the rule at `position`, counted over all lists.
    func origin(_ position: Int) -> UInt32 {
        let list = list(of: position)
        return UInt32(linesBefore[list] + lists[list].entries[position - starts[list]].line)
    }

    private func list(of position: Int) -> Int {
        var list = 0
        while position >= starts[list + 1] { list += 1 }
        return list
    }
}

extension SiteRule {
    /// Whether the rule is about https on port 443 and every path, as most rules are.
    var isPlain: Bool { !isException && schemes == .https && port == .schemeDefault && path == nil }
}
