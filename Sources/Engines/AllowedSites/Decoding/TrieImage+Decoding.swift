internal import Hostnames

extension TrieImage {
    /// The rule with this number, rebuilt from its node and its constraint, or `nil` if the number has no rule.
    func rule(_ number: Int) -> SiteRule? {
        guard number >= 0 else { return nil }
        let nodeCount = slotCount + networkCount
        if number < nodeCount {
            guard listIndex(ofNode: number) == nil, let place = place(number) else { return nil }
            return SiteRule(isException: false, schemes: .https, place: place, port: .schemeDefault, path: nil)
        }
        let rule = number - nodeCount
        guard rule < listRuleCount, let place = place(nodeWithList(listOf(rule))) else { return nil }
        let constraint = constraint(ofRule: rule)
        return SiteRule(
            isException: constraint.isException,
            schemes: constraint.schemes,
            place: place,
            port: constraint.port,
            path: constraint.path == 0 ? nil : path(constraint.path)
        )
    }

    /// The path as a canonical prefix, or `nil` if it is not one.
    func path(_ path: Int) -> PathPrefix? {
        let text = pathText(path)
        guard PathDoubt.first(in: text) == nil, let prefix = PathPrefix(certain: text) else { return nil }
        return prefix.text == text ? prefix : nil
    }

    /// The host pattern of node `number`, or `nil` for an empty slot.
    func place(_ number: Int) -> SiteRule.Place? {
        assert(number >= 0)
        if number >= slotCount { return network(at: number - slotCount) }
        for length in 1..<Self.keyTableCount {
            let table = keyTable(length)
            let first = Int(table.firstNumber)
            // Key lengths without keys share one empty slot, whose number equals the number of slots.
            if number >= first, number < first + Int(table.slotCount), first < slotCount {
                guard case .key(let name, let isBelow) = storedKey(table, length, slot: number - first) else {
                    return nil
                }
                return isBelow ? .below(name) : .name(name)
            }
        }
        return nil
    }

    /// The rule list that contains a rule.
    private func listOf(_ rule: Int) -> Int {
        last(below: listCount) { Int(load(UInt32.self, .listStarts, at: $0 * 4)) <= rule }
    }

    /// The node to which a rule list belongs.
    func nodeWithList(_ list: Int) -> Int {
        let groups = length(of: .listMarks) / 12
        let group = last(below: groups) { Int(load(UInt32.self, .listMarks, at: $0 * 12 + 8)) <= list }
        var marks = load(UInt64.self, .listMarks, at: group * 12)
        var left = list - Int(load(UInt32.self, .listMarks, at: group * 12 + 8))
        while left > 0, marks != 0 {
            marks &= marks - 1
            left -= 1
        }
        return group * 64 + marks.trailingZeroBitCount
    }

    /// The last number below `count` for which `isBefore` holds; a binary search.
    ///
    /// - Precondition: `isBefore(0)` holds, and after the first number for which it fails it fails for all.
    private func last(below count: Int, _ isBefore: (Int) -> Bool) -> Int {
        assert(count >= 0)
        var (first, length) = (0, count)
        while length > 1 {
            let half = length / 2
            if isBefore(first + half) { first += half }
            length -= half
        }
        return first
    }
}
