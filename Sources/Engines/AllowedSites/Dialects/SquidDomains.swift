/// The values of `dstdomain`: a name; a leading dot means the name and the names below it.
enum SquidDomains {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard !rest.contains("*"), !rest.contains("/"), !rest.hasPrefix("-") else { throw .withoutEffect }
        guard !rest.contains(":") || rest.hasPrefix("[") else { throw .withoutEffect }
        let isWithBelow = EntryParts.leadingDot(of: &rest)
        let parts = EntryParts(host: rest)
        guard isWithBelow else { return [parts] }
        let both = try parts.withNamesBelow(andItself: true)
        // An address with a leading dot never matches a request.
        guard both.count > 1 else { throw .withoutEffect }
        return both
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        try rule.checkHostOnly()
        if rule.isWildcard {
            guard rule.isPaired else { throw .withoutHost }
            return ["." + rule.host]
        }
        // Squid warns about a host beside ".host.example", because it is a duplicate.
        return rule.isPaired ? [] : [rule.host]
    }

    /// The entries, without each host that a wider entry covers. Squid does not start if such a host comes before the wider
    /// entry, and warns if it comes after.
    static func withoutCovered(_ entries: [String]) -> [String] {
        let wide = Set(entries.lazy.filter { $0.hasPrefix(".") }.map { $0.dropFirst() })
        return entries.filter { entry in
            // The names around the entry, from its own to its last label.
            var name = entry.hasPrefix(".") ? entry.dropFirst() : entry[...]
            var isOwn = entry.hasPrefix(".")
            while true {
                if !isOwn, wide.contains(name) { return false }
                isOwn = false
                guard let dot = name.firstIndex(of: ".") else { return true }
                name = name[name.index(after: dot)...]
            }
        }
    }
}
