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
}
