extension RuleLists {
    /// Checks the rule lists of an image: one list a node, in the order of nodes, its constraints ascending.
    ///
    /// - Parameter constraintCount: the number of different constraints.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of rules in lists.
    func brokenInvariant(constraintCount: Int) -> String? {
        for (one, next) in zip(nodes, nodes.dropFirst()) where one.place >= next.place {
            return "the list of node \(next.place) follows that of node \(one.place)"
        }
        for index in nodes.indices {
            let place = nodes[index].place
            let numbers = rules(at: index).map(\.constraint)
            guard let last = numbers.last else { return "node \(place) has an empty list" }
            if !zip(numbers, numbers.dropFirst()).allSatisfy(<) {
                return "the constraints of node \(place) do not ascend"
            }
            if last >= constraintCount { return "node \(place) names constraint \(last) of \(constraintCount)" }
        }
        return nil
    }
}
