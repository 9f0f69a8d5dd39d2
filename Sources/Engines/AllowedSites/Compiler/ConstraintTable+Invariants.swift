extension ConstraintTable {
    /// Checks the rule lists of an image: one list a node, in the order of nodes, its constraints ascending.
    ///
    /// - Parameters:
    ///   - lists: the rule lists.
    ///   - constraintCount: the number of different constraints.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of rules in lists.
    func brokenInvariant(of lists: [NodeRules], constraintCount: Int) -> String? {
        for (one, next) in zip(lists, lists.dropFirst()) where one.place >= next.place {
            return "the list of node \(next.place) follows that of node \(one.place)"
        }
        for list in lists {
            let numbers = list.rules.map(\.constraint)
            guard let first = numbers.first, let last = numbers.last else {
                return "node \(list.place) has an empty list"
            }
            if !zip(numbers, numbers.dropFirst()).allSatisfy(<) {
                return "the constraints of node \(list.place) do not ascend"
            }
            if first < 0 || last >= constraintCount {
                return "node \(list.place) names constraint \(last) of \(constraintCount)"
            }
        }
        return nil
    }
}
