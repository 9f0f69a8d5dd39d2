internal import SPKIPins

// Losses that no entry has alone, as they come of patterns that are for the same hosts.

/// What is lost where a form unites the entries of a host, while in ours the most specific one decides.
func overlaps(of entries: [PinPolicy.Entry]) -> [PinLoss] {
    let nesting = PatternNesting(entries.map(\.host))
    return entries.flatMap { entry in
        guard let pattern = try? HostPattern(parsing: entry.host) else { return [PinLoss]() }
        return nesting.wider(than: pattern).map { PinLoss(.union, entry.host, $0) }
    }
}

/// What becomes of hosts whose own pattern is not among the entries: a wider entry that is there decides for them.
///
/// - Parameter missing: patterns that were left out, or exempt.
func widenings(of entries: [PinPolicy.Entry], missing: [String]) -> [PinLoss] {
    guard !missing.isEmpty else { return [] }
    let nesting = PatternNesting(entries.map(\.host))
    var seen: Set<String> = []
    return missing.flatMap { text in
        // One that stands there as well decides for its hosts still.
        guard let pattern = try? HostPattern(parsing: text), !nesting.contains(pattern),
            seen.insert(pattern.description).inserted
        else { return [PinLoss]() }
        return nesting.wider(than: pattern).map { PinLoss(.widening, $0, pattern.description) }
    }
}

/// What is lost with exemptions: nothing where no entry is for the hosts, which are not pinned without one either.
func exemptions(from entries: [PinPolicy.Entry], of exempt: [String]) -> [PinLoss] {
    let widenings = widenings(of: entries, missing: exempt)
    var seen: Set<String> = []
    return widenings.map(\.other).filter { seen.insert($0).inserted }.map { PinLoss(.exclusion, $0) } + widenings
}
