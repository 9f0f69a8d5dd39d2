internal import SPKIPins

/// Some host patterns, asked which of them are for hosts that a more specific pattern is for as well.
struct PatternNesting {
    /// In their canonical form.
    private let patterns: Set<String>

    /// - Parameter patterns: as they are written; what is no pattern is for no host.
    init(_ patterns: some Sequence<String>) {
        self.patterns = Set(patterns.compactMap { (try? HostPattern(parsing: $0))?.description })
    }

    func contains(_ pattern: HostPattern) -> Bool { patterns.contains(pattern.description) }

    /// Those less specific than `pattern` that are for hosts of it, in the order in which they would decide in its place,
    /// up to the first one that is for all of them.
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
        // Of the hosts of a pattern, "*." above it is for the one without a label more; that one may have a pattern of its own.
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
