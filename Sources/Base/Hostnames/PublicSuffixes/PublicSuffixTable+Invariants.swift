extension PublicSuffixTable {
    /// Checks that at least half of the slots are free, and that a lookup finds each entry.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the number of entries.
    func brokenInvariant() -> String? {
        if slots.count & (slots.count - 1) != 0 { return "\(slots.count) slots are not a power of two" }
        if entries.count * 2 > slots.count {
            return "\(entries.count) entries take more than half of \(slots.count) slots"
        }
        let taken = slots.count { $0 > 0 }
        if taken != entries.count { return "\(entries.count) entries take \(taken) slots" }
        for (position, entry) in entries.enumerated() {
            let name = Int(entry.start)..<Int(entry.start) + Int(entry.length)
            if name.upperBound > text.count { return "entry \(position) ends behind the text" }
            if entry.kinds.isEmpty { return "entry \(position) has no rule" }
            if kinds(of: text.span, in: name) != entry.kinds { return "a lookup does not find entry \(position)" }
        }
        return nil
    }
}
