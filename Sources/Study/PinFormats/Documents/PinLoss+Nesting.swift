internal import SPKIPins

// Losses that concern two entries whose patterns match the same hosts.

/// The losses of a form that unites the entries of a host; in our form the most specific entry decides alone.
func overlaps(of entries: [PinPolicy.Entry]) -> [PinLoss] {
    let nesting = PatternNesting(entries.map(\.host))
    return entries.flatMap { entry in
        guard let pattern = try? HostPattern(parsing: entry.host) else { return [PinLoss]() }
        return nesting.wider(than: pattern).map { PinLoss(.union, entry.host, $0) }
    }
}

/// The losses for hosts whose own pattern is missing: a wider entry decides for them.
///
/// - Parameter missing: patterns that were left out, or exempt.
func widenings(of entries: [PinPolicy.Entry], missing: [String]) -> [PinLoss] {
    guard !missing.isEmpty else { return [] }
    let nesting = PatternNesting(entries.map(\.host))
    var seen: Set<String> = []
    return missing.flatMap { text in
        // A pattern that is also among the entries still decides for its hosts.
        guard let pattern = try? HostPattern(parsing: text), !nesting.contains(pattern),
            seen.insert(pattern.description).inserted
        else { return [PinLoss]() }
        return nesting.wider(than: pattern).map { PinLoss(.widening, $0, pattern.description) }
    }
}

/// The losses of exemptions. An exemption whose hosts match no entry is not a loss, because they are not pinned anyway.
func exemptions(from entries: [PinPolicy.Entry], of exempt: [String]) -> [PinLoss] {
    let widenings = widenings(of: entries, missing: exempt)
    var seen: Set<String> = []
    return widenings.map(\.other).filter { seen.insert($0).inserted }.map { PinLoss(.exclusion, $0) } + widenings
}
