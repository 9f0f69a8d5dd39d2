/// `Hosts` of an Extensible Single Sign-on payload: a host; a leading dot means the names below it.
enum AppleHosts {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard !rest.contains("*"), !rest.contains("/") else { throw .withoutEffect }
        guard !rest.contains(":") || rest.hasPrefix("[") else { throw .withoutEffect }
        let isBelow = EntryParts.leadingDot(of: &rest)
        return [EntryParts(isWildcard: isBelow, host: rest)]
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        try rule.checkHostOnly()
        return [(rule.isWildcard ? "." : "") + rule.host]
    }
}
