/// The rules of all lists as one sequence, with their lines.
struct RuleSource {
    let lists: [SiteList]
    /// The position of the first rule of each list, and the number of rules at the end.
    private let starts: [Int]
    /// The number of lines in the lists before each list.
    let linesBefore: [Int]

    init(_ lists: [SiteList]) {
        self.lists = lists
        var starts = [0]
        var linesBefore: [Int] = []
        var lines = 0
        for list in lists {
            linesBefore.append(lines)
            starts.append(starts[starts.count - 1] + list.entries.count)
            lines += list.entries.lastLine
        }
        self.starts = starts
        self.linesBefore = linesBefore
        assert(starts.count == lists.count + 1 && linesBefore.count == lists.count)
    }

    var count: Int { starts[starts.count - 1] }

    /// The rule at `position`.
    func rule(_ position: Int) -> SiteRule {
        let list = list(of: position)
        return lists[list].entries[position - starts[list]].rule
    }

    /// Calls `body` for each rule with its position, its line (counted over all lists), its name and its other fields.
    ///
    /// - Parameter positions: positions of rules about names, in ascending order.
    @inline(__always)
    func forEachName(
        at positions: ArraySlice<UInt32>,
        _ body: (Int, UInt32, Span<UInt8>, SiteListEntries.NameFields) -> Void
    ) {
        var rest = positions
        for (index, list) in lists.enumerated() {
            let start = starts[index]
            let own = rest.prefix { Int($0) < starts[index + 1] }
            rest = rest[own.endIndex...]
            list.entries.forEachName(at: own.lazy.map { Int($0) - start }) { position, name, fields in
                guard let fields else { preconditionFailure("rule \(position) is about a network, not a name") }
                body(start + position, UInt32(linesBefore[index] + fields.line), name, fields)
            }
        }
        assert(rest.isEmpty, "the positions ascend and belong to the lists")
    }

    /// The source line of the rule at `position`, counted over all lists.
    func origin(_ position: Int) -> UInt32 {
        let list = list(of: position)
        return UInt32(linesBefore[list] + lists[list].entries[position - starts[list]].line)
    }

    private func list(of position: Int) -> Int {
        assert(position >= 0 && position < count)
        var list = 0
        while position >= starts[list + 1] { list += 1 }
        return list
    }
}
