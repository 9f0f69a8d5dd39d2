extension RuleGroups {
    /// Checks that each rule has a place in one group or is about a network, and that groups keep the order of rules.
    ///
    /// - Parameter ruleCount: the number of rules of all lists.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of rules.
    func brokenInvariant(ruleCount: Int) -> String? {
        if names.count + networks.count != ruleCount {
            return "\(names.count) names and \(networks.count) networks are not \(ruleCount) rules"
        }
        if starts.count != TrieImage.keyTableCount + 1 || starts.first != 0 || starts.last != names.count {
            return "the groups do not divide \(names.count) names"
        }
        // No name has a key of 0 bytes, so the groups of lengths 0 and 1 begin at the first name.
        if starts[1] != 0 { return "\(starts[1]) names have a key of 0 bytes" }
        for length in 1..<TrieImage.keyTableCount {
            if starts[length] > starts[length + 1] {
                return "the group of keys of \(length) bytes ends before it begins"
            }
            let group = names[starts[length]..<starts[length + 1]]
            if !zip(group, group.dropFirst()).allSatisfy(<) {
                return "the rules with keys of \(length) bytes are not in the order of the lists"
            }
        }
        return nil
    }
}
