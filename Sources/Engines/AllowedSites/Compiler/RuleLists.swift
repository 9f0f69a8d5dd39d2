/// The rule lists of nodes, one after the other in one array, because an array for each would take most of a compilation's memory.
struct RuleLists {
    /// A rule of a node.
    struct Rule {
        /// The number of its constraint.
        var constraint: UInt32
        /// Its source line, counted over all lists.
        let origin: UInt32
    }

    /// A node, and its first rule. Its last one is before the first rule of the next node.
    struct Node {
        let place: UInt32
        let start: UInt32
    }

    private(set) var nodes: [Node] = []
    private(set) var rules: [Rule] = []

    /// The rules of the node at `index` of ``nodes``.
    func rules(at index: Int) -> ArraySlice<Rule> {
        let end = index + 1 < nodes.count ? Int(nodes[index + 1].start) : rules.count
        return rules[Int(nodes[index].start)..<end]
    }

    /// Adds the list of a node, without rules whose constraint an earlier rule of the node has.
    mutating func add(_ rules: some Sequence<Rule>, place: Int) {
        let start = self.rules.count
        nodes.append(Node(place: UInt32(place), start: UInt32(start)))
        var seen: Set<UInt32> = []
        for (index, rule) in rules.enumerated() {
            // Nearly all nodes have one rule, and no set.
            if index == 1 { seen.insert(self.rules[start].constraint) }
            if index == 0 || seen.insert(rule.constraint).inserted { self.rules.append(rule) }
        }
    }

    /// The rule of the last node, if it has no other.
    var onlyRuleOfLast: Rule? {
        guard let last = nodes.last, Int(last.start) == rules.count - 1 else { return nil }
        return rules.last
    }

    /// Removes the last node, which has one rule.
    mutating func removeLast() {
        assert(onlyRuleOfLast != nil)
        nodes.removeLast()
        rules.removeLast()
    }

    /// The lists in the order of nodes, each with the rules in the order in which they win.
    ///
    /// - Parameter ranks: the new number of each constraint.
    consuming func sorted(ranks: [UInt32]) -> RuleLists {
        var sorted = RuleLists()
        sorted.nodes.reserveCapacity(nodes.count)
        sorted.rules.reserveCapacity(rules.count)
        for index in nodes.indices.sorted(by: { nodes[$0].place < nodes[$1].place }) {
            let start = sorted.rules.count
            sorted.nodes.append(Node(place: nodes[index].place, start: UInt32(start)))
            for rule in rules(at: index) {
                sorted.rules.append(Rule(constraint: ranks[Int(rule.constraint)], origin: rule.origin))
            }
            if sorted.rules.count > start + 1 { sorted.rules[start...].sort { $0.constraint < $1.constraint } }
        }
        return sorted
    }
}
