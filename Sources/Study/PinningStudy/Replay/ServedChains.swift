/// The chains that a host served over time, with both bounds of each change; times in seconds since 1970.
struct ServedChains {
    struct Run {
        let chain: Int32
        /// The time it was served if the change came right after the last sight of the previous chain.
        let early: Range<Int64>
        /// The time it was served if the change came right before the first sight of this chain.
        let late: Range<Int64>
    }

    let runs: [Run]
    let start: Int64
    let end: Int64

    init(_ captures: [ChainHistory.Capture]) {
        let end = captures.map(\.last).max() ?? 0
        var starts: [(chain: Int32, early: Int64, late: Int64)] = []
        for (index, capture) in captures.enumerated() {
            if let last = starts.last, last.chain == capture.chain { continue }
            let early = index == 0 ? capture.first : min(captures[index - 1].last, capture.first)
            // Captures are ordered by first sight, so late starts ascend. `max` makes early starts ascend too.
            starts.append((capture.chain, max(early, starts.last?.early ?? early), capture.first))
        }
        runs = starts.indices.map { index in
            let next = index + 1 < starts.count ? starts[index + 1] : (chain: -1, early: end, late: end)
            return Run(
                chain: starts[index].chain,
                early: starts[index].early..<next.early,
                late: starts[index].late..<next.late
            )
        }
        start = captures[0].first
        self.end = end
    }
}
