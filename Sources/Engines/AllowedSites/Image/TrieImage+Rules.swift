internal import Hostnames

extension TrieImage {
    /// The bits of the first byte of a constraint.
    enum ConstraintTraits {
        static let isException: UInt8 = 1
        static let speaksHTTPS: UInt8 = 2
        static let speaksHTTP: UInt8 = 4
        static let hasNumber: UInt8 = 8
        static let hasAnyPort: UInt8 = 16
    }

    static let constraintLength = 12

    /// The conditions of a rule besides its host.
    struct Constraint {
        let isException: Bool
        let schemes: SiteRule.Schemes
        let port: SiteRule.Port
        let segments: Int
        /// The position of its path plus one; 0 = no path.
        let path: Int
    }

    /// The rules of a node with a rule list, as positions in *listRules*.
    func rules(ofNode number: Int) -> Range<Int> {
        guard let list = listIndex(ofNode: number) else { return 0..<0 }
        let first = Int(load(UInt32.self, .listStarts, at: list * 4))
        let end = Int(load(UInt32.self, .listStarts, at: list * 4 + 4))
        guard first <= end, end <= listRuleCount else { return 0..<0 }
        return first..<end
    }

    /// The position of the rule list of a node, or `nil` if the node has none.
    func listIndex(ofNode number: Int) -> Int? {
        assert(number >= 0)
        let group = number / 64 * 12
        let marks = load(UInt64.self, .listMarks, at: group)
        let bit = UInt64(1) << UInt64(number % 64)
        guard marks & bit != 0 else { return nil }
        return Int(load(UInt32.self, .listMarks, at: group + 8)) + (marks & (bit - 1)).nonzeroBitCount
    }

    func constraint(ofRule rule: Int) -> Constraint {
        constraint(Int(load(UInt32.self, .listRules, at: rule * 4)))
    }

    func constraint(_ index: Int) -> Constraint {
        assert(index >= 0)
        let offset = index * Self.constraintLength
        let traits = load(UInt8.self, .constraints, at: offset)
        func has(_ trait: UInt8) -> Bool { traits & trait != 0 }
        let schemes: SiteRule.Schemes =
            has(ConstraintTraits.speaksHTTP) ? (has(ConstraintTraits.speaksHTTPS) ? .both : .http) : .https
        let port: SiteRule.Port =
            if has(ConstraintTraits.hasAnyPort) {
                .any
            } else if has(ConstraintTraits.hasNumber) {
                .number(load(UInt16.self, .constraints, at: offset + 2))
            } else {
                .schemeDefault
            }
        return Constraint(
            isException: has(ConstraintTraits.isException),
            schemes: schemes,
            port: port,
            segments: Int(load(UInt16.self, .constraints, at: offset + 4)),
            path: Int(load(UInt32.self, .constraints, at: offset + 8))
        )
    }

    /// The text of path `path`, counted from 1.
    func pathText(_ path: Int) -> String {
        let (first, end) = pathRange(path)
        return text(.paths, from: first, to: end)
    }

    /// Where path `path` lies in *paths*; an image that was not validated may give any numbers.
    @inline(__always)
    func pathRange(_ path: Int) -> (first: Int, end: Int) {
        assert(path > 0)
        let first = Int(load(UInt32.self, .pathStarts, at: path * 4 - 4))
        return (first, Int(load(UInt32.self, .pathStarts, at: path * 4)))
    }

    /// The source line of a rule, counted over all lists from 1; 0 = unknown.
    @inline(__always)
    func packedOrigin(of number: Int) -> Int {
        guard originBits > 0, number < slotCount &+ networkCount &+ listRuleCount else { return 0 }
        assert(number >= 0 && originBits <= 32, "a number and its shift fit into eight bytes")
        let bit = number &* originBits
        let word = load(UInt64.self, .origins, at: bit &>> 3) >> UInt64(bit & 7)
        return Int(truncatingIfNeeded: word & (1 &<< UInt64(originBits) &- 1))
    }

    /// The list of a rule and its line in that list.
    func origin(of number: Int) -> (list: Int, line: Int)? {
        let origin = packedOrigin(of: number)
        guard origin > 0 else { return nil }
        var list = length(of: .lists) / 8 - 1
        while list > 0, Int(load(UInt32.self, .lists, at: list * 8)) >= origin { list -= 1 }
        return list < 0 ? nil : (list, origin - Int(load(UInt32.self, .lists, at: list * 8)))
    }

    func listName(_ list: Int) -> String {
        let first = list == 0 ? 0 : Int(load(UInt32.self, .lists, at: list * 8 - 4))
        let end = Int(load(UInt32.self, .lists, at: list * 8 + 4))
        assert(list >= 0)
        return text(.listNames, from: first, to: end)
    }
}
