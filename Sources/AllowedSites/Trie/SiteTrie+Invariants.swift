extension SiteTrie {
    /// What must be true of every trie; the first thing that is not, in words, or `nil`.
    ///
    /// - Complexity: O(*n*) in the number of rules; for tests.
    func brokenInvariant() -> String? {
        guard order.sorted() == Array(entries.indices) else { return "order is no permutation of the entries" }
        var next = 0
        for place in places {
            guard place.rules.lowerBound == next, !place.rules.isEmpty else { return "places leave a gap at \(next)" }
            next = place.rules.upperBound
            let rules = place.rules.map { entries[order[$0]].rule }
            guard Set(rules.map(\.place)).count == 1 else { return "a place holds rules of two hosts" }
            guard place.hasAllowance == rules.contains(where: { !$0.isException }) else {
                return "hasAllowance is wrong"
            }
            guard place.hasPaths == rules.contains(where: { $0.path != nil }) else { return "hasPaths is wrong" }
            for (winner, loser) in zip(rules, rules.dropFirst()) {
                let lengths = (winner.path?.segmentCount ?? 0, loser.path?.segmentCount ?? 0)
                guard lengths.0 >= lengths.1 else { return "a shorter path stands before a longer one" }
                guard lengths.0 > lengths.1 || winner.isException || !loser.isException else {
                    return "an exception stands behind a rule of the same length"
                }
            }
        }
        guard next == order.count else { return "places leave rules out" }
        let keys = exactNames.count + wildcards.count + ipv4Networks.places.count + ipv6Networks.places.count
        return keys == places.count ? nil : "there are \(places.count) places and \(keys) keys"
    }
}
