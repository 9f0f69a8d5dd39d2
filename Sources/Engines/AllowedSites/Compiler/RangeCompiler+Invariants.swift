extension RangeCompiler {
    /// Checks that the ranges cover all addresses without overlap, and that each sample leads to its network.
    ///
    /// - Parameter networkCount: the number of networks.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of ranges.
    func brokenInvariant(networkCount: Int) -> String? {
        if ranges.first?.start != 0 { return "no range begins at address 0" }
        for (one, next) in zip(ranges, ranges.dropFirst()) where one.start >= next.start {
            return "a range at \(next.start) follows the one at \(one.start)"
        }
        if let range = ranges.first(where: { $0.number > networkCount }) {
            return "a range names network \(range.number) of \(networkCount)"
        }
        if lengths.count != networkCount { return "\(networkCount) networks have \(lengths.count) lengths" }
        let sampleCount = NetworkRanges.samplesLength(count: networkCount) / MemoryLayout<UInt32>.size
        if samples.count != sampleCount { return "\(networkCount) networks have \(samples.count) samples" }
        if let sample = samples.first(where: { $0 >= ranges.count }) {
            return "a sample names range \(sample) of \(ranges.count)"
        }
        return nil
    }
}
