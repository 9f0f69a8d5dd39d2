extension ChallengeLayout {
    /// Checks that version and fields lie inside the message, and that attributes exist only if a flag announces them.
    ///
    /// - Parameter messageCount: the size of the message in bytes.
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(1).
    func brokenInvariant(messageCount: Int) -> String? {
        if (targetInfo != nil) != flags.contains(.targetInfo) { return "the flags and the attributes disagree" }
        // Without the flag for attributes, the payload may begin where their descriptor would lie.
        let start = version?.upperBound ?? (targetInfo == nil ? Self.minimumSize : Self.fixedSize)
        if start > messageCount { return "the part before the payload ends at \(start) of \(messageCount) bytes" }
        return PayloadMap.brokenInvariant(
            of: [(.targetName, targetName), (.targetInfo, targetInfo ?? 0..<0)],
            from: start,
            to: messageCount
        )
    }
}
