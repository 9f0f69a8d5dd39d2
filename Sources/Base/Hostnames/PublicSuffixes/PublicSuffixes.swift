/// Names below which anyone can register a name, such as `com`, `co.uk` and `github.io`.
package enum PublicSuffixes {
    /// Whether different owners may hold the names directly below the canonical name in `range` of `bytes`.
    ///
    /// True for a public suffix of publicsuffix.org, where an exception wins over a wildcard and each single label is a
    /// suffix. True also for a name whose children are all suffixes, such as `kawasaki.jp`. libpsl gives the same
    /// answers.
    ///
    /// - Precondition: `range` lies inside `bytes` and holds a canonical name.
    /// - Complexity: two hash lookups, no allocation. The first call also builds the table: less than 1 ms, 250 kB.
    package static func areStrangersBelow(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        var dot = range.lowerBound
        while dot < range.upperBound, bytes[dot] != UInt8(ascii: ".") { dot += 1 }
        guard dot < range.upperBound else { return true }
        let table = PublicSuffixTable.standard
        let own = table.kinds(of: bytes, in: range)
        if own.contains(.exception) { return false }
        if !own.isEmpty { return true }
        return table.kinds(of: bytes, in: dot + 1..<range.upperBound).contains(.wildcard)
    }
}
