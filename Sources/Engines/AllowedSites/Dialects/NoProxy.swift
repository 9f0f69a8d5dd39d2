/// `NO_PROXY` as Go's `httpproxy` documents it: names with the names below them, addresses and networks; ports, no schemes.
enum NoProxy {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard rest != "*" else { throw .everySite }
        guard !rest.contains("://") else { throw .withoutEffect }
        if rest.contains("/") { return [EntryParts(host: try EntryParts.network(rest))] }
        // An IPv6 address may stand there without brackets.
        if rest.count(where: { $0 == ":" }) > 1, !rest.hasPrefix("[") { return [EntryParts(host: "[\(rest)]")] }
        let port = try EntryParts.port(of: &rest)
        // In brackets, an address has a port.
        guard !rest.hasPrefix("[") || port != "*" else { throw .withoutEffect }
        if rest.hasPrefix("*.") { rest.removeFirst() }
        let isBelowOnly = EntryParts.leadingDot(of: &rest)
        guard !rest.contains("*") else { throw .pattern }
        return try EntryParts(host: rest, port: port).withNamesBelow(andItself: !isBelowOnly)
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        guard rule.schemes == .both else { throw .scheme }
        if rule.isNetwork {
            guard rule.port == .any else { throw .port }
            return [rule.bareNetwork]
        }
        // "The scheme's own port" is two ports here, of which each would be allowed for both schemes.
        guard rule.port != .schemeDefault else { throw .port }
        let dot = try rule.leadingDot()
        if rule.port == .any, rule.host.hasPrefix("[") { return [String(rule.host.dropFirst().dropLast())] }
        return rule.origins.map { "\(dot)\(rule.host)\($0.port)" }
    }
}
