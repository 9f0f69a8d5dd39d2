extension TargetInfo {
    /// Checks that the list has no `MsvAvEOL`, because a peer would stop there and miss the attributes after it.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of attributes.
    func brokenInvariant() -> String? { Self.brokenInvariant(of: pairs) }

    /// ``brokenInvariant()`` of these attributes.
    static func brokenInvariant(of pairs: [AVPair]) -> String? {
        pairs.firstIndex { $0.id == .eol }.map { "attribute \($0) of \(pairs.count) is MsvAvEOL" }
    }
}
