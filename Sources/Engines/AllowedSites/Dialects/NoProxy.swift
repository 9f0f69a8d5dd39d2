/// `NO_PROXY` as documented by Go's `httpproxy`: names including the names below them, addresses, networks, ports, no
/// schemes.
enum NoProxy {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard rest != "*" else { throw .everySite }
        guard rest.lowercased() != "<local>" else { throw .plainNames }
        guard !rest.contains("://") else { throw .withoutEffect }
        if rest.contains("/") { return [EntryParts(host: try EntryParts.network(rest))] }
        // An IPv6 address may have no brackets.
        if rest.count(where: { $0 == ":" }) > 1, !rest.hasPrefix("[") { return [EntryParts(host: "[\(rest)]")] }
        let port = try EntryParts.port(of: &rest)
        // Brackets are valid only together with a port.
        guard !rest.hasPrefix("[") || port != "*" else { throw .withoutEffect }
        if rest.hasPrefix("*.") { rest.removeFirst() }
        let isBelowOnly = EntryParts.leadingDot(of: &rest)
        guard !rest.contains("*") else { throw isBelowOnly ? .pattern : EntryParts.patternProblem(rest) }
        return try EntryParts(host: rest, port: port).withNamesBelow(andItself: !isBelowOnly)
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        guard rule.schemes == .both else { throw .scheme }
        if rule.isNetwork {
            guard rule.port == .any else { throw .port }
            return [rule.bareNetwork]
        }
        // The default port would be written as two entries, and each would allow its port for both schemes.
        guard rule.port != .schemeDefault else { throw .port }
        // A name includes the names below it. Go reads ".host" as these alone, but curl and Python as the host too.
        guard !rule.rule.isName || rule.isPaired else { throw rule.isWildcard ? .withoutHost : .hostAlone }
        if rule.port == .any, rule.host.hasPrefix("[") { return [String(rule.host.dropFirst().dropLast())] }
        return rule.origins.map { "\(rule.host)\($0.port)" }
    }
}
