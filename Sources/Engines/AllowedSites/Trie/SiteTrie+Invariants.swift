extension SiteTrie {
    /// What must be true of every trie; the first thing that is not, in words, or `nil`.
    ///
    /// - Complexity: O(*n*) in the number of rules; for tests.
    func brokenInvariant() -> String? {
        do throws(TrieImageError) {
            try image.validate()
        } catch {
            return error.description
        }
        let nodeCount = image.slotCount + image.networkCount
        var found = 0
        for number in 0..<nodeCount where image.rule(number) != nil { found += 1 }
        for rule in 0..<image.listRuleCount {
            guard image.rule(nodeCount + rule) != nil else { return "rule \(rule) of the lists cannot be told" }
            found += 1
        }
        return found == count ? nil : "there are \(count) rules, and \(found) can be told"
    }
}
