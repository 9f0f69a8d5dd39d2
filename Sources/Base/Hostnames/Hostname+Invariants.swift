extension Hostname.Form {
    /// Checks that a name is canonical: labels of 1 to 63 bytes from `a-z 0-9 - _`, at most 253 bytes, no trailing dot.
    ///
    /// - Returns: the first broken invariant, or `nil`.
    /// - Complexity: O(*n*) in the length of the name.
    func brokenInvariant() -> String? {
        guard case .name(let name) = self else { return nil }
        if name.count > Hostname.maximumNameLength { return "the name has \(name.count) bytes" }
        for label in name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            if label.isEmpty { return "a label is empty" }
            if label.count > Hostname.maximumLabelLength { return "a label has \(label.count) bytes" }
            let allowed = label.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
            if !allowed { return "a label has a byte that is not canonical" }
        }
        return nil
    }
}
