extension SiteTrie {
    /// Checks what must be true of every trie: its image, its networks, its code of names, and that every rule can be read back.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of rules; for tests.
    func brokenInvariant() -> String? {
        do throws(TrieImageError) {
            try image.validate()
        } catch {
            return error.description
        }
        return image.brokenInvariant() ?? image.code?.brokenInvariant() ?? image.ipv4Networks.brokenInvariant()
            ?? image.ipv6Networks.brokenInvariant() ?? image.ipv4Ranges?.brokenInvariant() ?? brokenRule()
    }

    private func brokenRule() -> String? {
        let nodeCount = image.slotCount + image.networkCount
        var found = 0
        for number in 0..<nodeCount where image.rule(number) != nil { found += 1 }
        for rule in 0..<image.listRuleCount {
            guard image.rule(nodeCount + rule) != nil else { return "rule \(rule) of the rule lists cannot be read" }
            found += 1
        }
        return found == count ? nil : "the header counts \(count) rules, but \(found) can be read"
    }
}
