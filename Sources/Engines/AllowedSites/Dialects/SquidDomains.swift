/// Values of `dstdomain`: a name, or with a dot at the front that name and the names below it.
enum SquidDomains {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard !rest.contains("*"), !rest.contains("/"), !rest.hasPrefix("-") else { throw .withoutEffect }
        guard !rest.contains(":") || rest.hasPrefix("[") else { throw .withoutEffect }
        let isWithBelow = EntryParts.leadingDot(of: &rest)
        let parts = EntryParts(host: rest)
        guard isWithBelow else { return [parts] }
        let both = try parts.withNamesBelow(andItself: true)
        // A dot before an address is a domain that no request has.
        guard both.count > 1 else { throw .withoutEffect }
        return both
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        try rule.checkHostOnly()
        if rule.isWildcard {
            guard rule.isPaired else { throw .withoutHost }
            return ["." + rule.host]
        }
        // Beside ".host.example" the host alone is a duplicate, which Squid warns of.
        return rule.isPaired ? [] : [rule.host]
    }
}
