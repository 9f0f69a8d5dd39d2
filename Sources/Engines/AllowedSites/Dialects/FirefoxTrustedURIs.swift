/// `network.negotiate-auth.trusted-uris`: `[scheme://][host][:port]`; a host also means all names below it.
enum FirefoxTrustedURIs {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        var parts = EntryParts(scheme: try EntryParts.scheme(of: &rest), host: "")
        // Firefox compares schemes case-sensitively, and knows an IPv6 address only without a scheme and a port.
        guard parts.scheme == "*" || entry.hasPrefix(parts.scheme) else { throw .withoutEffect }
        guard !rest.hasPrefix("[") || (entry.hasPrefix("[") && rest.hasSuffix("]")) else { throw .withoutEffect }
        // Firefox compares a path or a wildcard literally with the host.
        guard !rest.contains("/"), !rest.contains("*") else { throw .withoutEffect }
        parts.port = try EntryParts.port(of: &rest)
        guard !rest.isEmpty else { throw .everySite }
        let isBelowOnly = EntryParts.leadingDot(of: &rest)
        parts.host = rest
        return try parts.withNamesBelow(andItself: !isBelowOnly)
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        guard !rule.isNetwork else { throw .network }
        guard !rule.host.hasPrefix("[") || (rule.port == .any && rule.schemes == .both) else { throw .withoutEffect }
        let dot = try rule.leadingDot()
        return rule.origins.map { "\($0.scheme)\(dot)\(rule.host)\($0.port)" }
    }
}

extension EntryParts {
    /// The entry for the names below the host, preceded by the host itself if `andItself`. An address has no names
    /// below it.
    func withNamesBelow(andItself: Bool) throws(DialectLoss.Reason) -> [EntryParts] {
        if (try? SiteRule(parsing: host))?.isName == false {
            guard andItself else { throw .withoutEffect }
            return [self]
        }
        var below = self
        below.isWildcard = true
        return andItself ? [self, below] : [below]
    }
}

extension SiteRule {
    /// Whether the rule is about a name or the names below a name.
    var isName: Bool {
        switch place {
        case .name, .below: true
        case .ipv4, .ipv6: false
        }
    }
}
