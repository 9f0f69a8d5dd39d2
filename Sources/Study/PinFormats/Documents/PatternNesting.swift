internal import SPKIPins

/// A set of host patterns that finds the patterns which overlap with a more specific one.
struct PatternNesting {
    /// In their canonical form.
    private let patterns: Set<String>

    /// - Parameter patterns: host patterns as text; invalid ones are ignored.
    init(_ patterns: some Sequence<String>) {
        self.patterns = Set(patterns.compactMap { (try? HostPattern(parsing: $0))?.description })
    }

    func contains(_ pattern: HostPattern) -> Bool { patterns.contains(pattern.description) }

    /// The less specific patterns that match hosts of `pattern`, in the order in which they would decide in its place,
    /// up to the first one that matches all of them.
    ///
    /// - Complexity: O(*n*) in the labels of `pattern`.
    func wider(than pattern: HostPattern) -> [String] {
        guard !pattern.isAddress else { return [] }
        var base = pattern.description[...]
        if let wildcard = base.firstIndex(of: "."), pattern.breadth != .exact {
            base = base[base.index(after: wildcard)...]
        }
        if pattern.breadth != .anyLabels, patterns.contains("**." + base) { return ["**." + base] }
        var found: [String] = []
        // "*." directly above a pattern matches only the base host itself, unless the base has its own pattern.
        var isNext = pattern.breadth == .exact || pattern.breadth == .anyLabels && !patterns.contains(String(base))
        while let dot = base.firstIndex(of: ".") {
            base = base[base.index(after: dot)...]
            if isNext, patterns.contains("*." + base) {
                found.append("*." + base)
                if pattern.breadth == .exact { return found }
            }
            if patterns.contains("**." + base) { return found + ["**." + base] }
            isNext = false
        }
        return found
    }
}
