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

    /// A node with its rules: the constraint of each and its source line, counted over all lists.
    struct NodeRules {
        let place: Int
        let rules: [(constraint: Int, origin: UInt32)]
    }

    private var numbers: [Constraint: Int] = [:]
    private var constraints: [Constraint] = []
    private var places: [NodeRules] = []

    /// The distinct constraints of the rules of one node, each with its first line.
    ///
    /// - Parameter positions: the rules of one node, in ascending order.
    mutating func rules(at positions: some Sequence<Int>, of source: RuleSource) -> [(constraint: Int, origin: UInt32)]
    {
        var rules: [(constraint: Int, origin: UInt32)] = []
        var seen: Set<Int> = []
        for position in positions {
            let constraint = Constraint(source.rule(position))
            let number = numbers[constraint] ?? constraints.count
            if number == constraints.count {
                numbers[constraint] = number
                constraints.append(constraint)
            }
            assert(numbers.count == constraints.count && constraints[number] == constraint)
            if seen.insert(number).inserted { rules.append((number, source.origin(position))) }
        }
        return rules
    }

    /// Whether a node with these rules needs no rule list.
    func isPlain(_ rules: [(constraint: Int, origin: UInt32)]) -> Bool {
        rules.count == 1 && constraints[rules[0].constraint].isPlain
    }

    /// Adds the rule list of a node.
    mutating func add(_ rules: [(constraint: Int, origin: UInt32)], place: Int) {
        assert(!rules.isEmpty)
        assert(rules.allSatisfy { $0.constraint < constraints.count })
        places.append(NodeRules(place: place, rules: rules))
    }

    /// The sorted constraints, and the rule lists in the order of their nodes; the rules of a list are in the order in
    /// which they win.
    func finish() -> (constraints: [Constraint], lists: [NodeRules]) {
        let used = places.reduce(into: Set<Int>()) { used, place in used.formUnion(place.rules.map(\.constraint)) }
        let order = used.sorted { Constraint.isBefore(constraints[$0], constraints[$1]) }
        var ranks: [Int: Int] = [:]
        for (rank, number) in order.enumerated() { ranks[number] = rank }
        assert(ranks.count == used.count, "each constraint of a rule has one rank")
        let lists = places.sorted { $0.place < $1.place }.map { place in
            let rules = place.rules.map { (constraint: ranks[$0.constraint] ?? 0, origin: $0.origin) }
            return NodeRules(place: place.place, rules: rules.sorted { $0.constraint < $1.constraint })
        }
        assert(brokenInvariant(of: lists, constraintCount: order.count) == nil)
        return (order.map { constraints[$0] }, lists)
    }
}
