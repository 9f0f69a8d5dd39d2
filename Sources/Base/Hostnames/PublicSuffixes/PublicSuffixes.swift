/// Names directly below which strangers register names of their own, such as `com`, `co.uk` and `github.io`.
package enum PublicSuffixes {
    /// Whether every name directly below the canonical name in `range` of `bytes` may be a stranger's.
    ///
    /// That is so for a public suffix of publicsuffix.org (an exception wins over a wildcard, and a single label always is
    /// one), and for a name whose children all are suffixes, such as `kawasaki.jp`. libpsl answers alike.
    ///
    /// - Precondition: `range` lies inside `bytes` and holds a name in the form of ``Hostname``.
    /// - Complexity: two hash lookups; allocates nothing once the table is made, which the first call does (under a
    ///   millisecond, 250 kB).
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
