/// The constraints of rules, each distinct one once, and the rule lists of nodes.
struct ConstraintTable {
    /// The conditions of a rule besides its host.
    struct Constraint: Hashable {
        let isException: Bool
        let schemes: SiteRule.Schemes
        let port: SiteRule.Port
        let path: PathPrefix?

        init(_ rule: SiteRule) {
            (isException, schemes, port, path) = (rule.isException, rule.schemes, rule.port, rule.path)
        }

        var isPlain: Bool { !isException && schemes == .https && port == .schemeDefault && path == nil }

        var segments: UInt16 { UInt16(path?.segmentCount ?? 0) }

        var traits: UInt8 {
            typealias Traits = TrieImage.ConstraintTraits
            var traits = isException ? Traits.isException : 0
            if schemes != .http { traits |= Traits.speaksHTTPS }
            if schemes != .https { traits |= Traits.speaksHTTP }
            switch port {
            case .schemeDefault: break
            case .number: traits |= Traits.hasNumber
            case .any: traits |= Traits.hasAnyPort
            }
            return traits
        }

        var portNumber: UInt16 { if case .number(let number) = port { number } else { 0 } }

        /// The order of a rule list: the winner of two fitting rules first. The order is total.
        static func isBefore(_ one: Constraint, _ other: Constraint) -> Bool {
            if one.segments != other.segments { return one.segments > other.segments }
            if one.isException != other.isException { return one.isException }
            if one.traits != other.traits { return one.traits < other.traits }
            if one.portNumber != other.portNumber { return one.portNumber < other.portNumber }
            return (one.path?.text ?? "") < (other.path?.text ?? "")
        }
    }

    private var numbers: [Constraint: UInt32] = [:]
    /// The same for rules of a list that have no path, by ``SiteListEntries/Name/condition``.
    private var numbersOfConditions: [UInt32: UInt32] = [:]
    private var constraints: [Constraint] = []
    /// The number of the plain constraint, if a rule has it.
    private var plainNumber: UInt32?
    private var lists = RuleLists()

    /// The number of the constraint of a rule.
    mutating func number(of constraint: Constraint) -> UInt32 {
        if let number = numbers[constraint] { return number }
        let number = UInt32(constraints.count)
        numbers[constraint] = number
        constraints.append(constraint)
        if constraint.isPlain { plainNumber = number }
        assert(numbers.count == constraints.count)
        return number
    }

    /// The number of the constraint of a rule without a path; makes the rule only if no rule before had this condition.
    mutating func number(ofCondition condition: UInt32, _ rule: () -> SiteRule) -> UInt32 {
        if let number = numbersOfConditions[condition] { return number }
        let number = number(of: Constraint(rule()))
        numbersOfConditions[condition] = number
        return number
    }

    /// Whether a rule with this constraint is plain; a node with such a rule alone needs no rule list.
    func isPlain(_ constraint: UInt32) -> Bool { constraint == plainNumber }

    /// Adds the rules of a node, unless it needs no rule list: then their only line is returned.
    ///
    /// - Parameter rules: in ascending order of their lines; of equal constraints the first one counts.
    mutating func add(_ rules: some Sequence<RuleLists.Rule>, place: Int) -> UInt32? {
        lists.add(rules, place: place)
        guard let rule = lists.onlyRuleOfLast, isPlain(rule.constraint) else { return nil }
        lists.removeLast()
        return rule.origin
    }

    /// The sorted constraints, and the rule lists in the order of their nodes; the rules of a list are in the order in
    /// which they win.
    consuming func finish() -> (constraints: [Constraint], lists: RuleLists) {
        var isUsed = [Bool](repeating: false, count: constraints.count)
        for rule in lists.rules { isUsed[Int(rule.constraint)] = true }
        let order = constraints.indices.filter { isUsed[$0] }
            .sorted { Constraint.isBefore(constraints[$0], constraints[$1]) }
        var ranks = [UInt32](repeating: 0, count: constraints.count)
        for (rank, number) in order.enumerated() { ranks[number] = UInt32(rank) }
        let sorted = lists.sorted(ranks: ranks)
        assert(sorted.brokenInvariant(constraintCount: order.count) == nil)
        return (order.map { constraints[$0] }, sorted)
    }
}
