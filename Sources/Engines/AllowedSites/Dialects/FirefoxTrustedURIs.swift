/// `network.negotiate-auth.trusted-uris`: `[scheme://][host][:port]`, where a host stands for all names below it as well.
enum FirefoxTrustedURIs {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        var parts = EntryParts(scheme: try EntryParts.scheme(of: &rest), host: "")
        // Schemes are compared letter by letter, and a host ends at its first colon, even that of an IPv6 address.
        guard parts.scheme == "*" || entry.hasPrefix(parts.scheme), !rest.hasPrefix("[") else { throw .withoutEffect }
        // A path and a wildcard are compared with the host letter by letter.
        guard !rest.contains("/"), !rest.contains("*") else { throw .withoutEffect }
        parts.port = try EntryParts.port(of: &rest)
        guard !rest.isEmpty else { throw .everySite }
        let isBelowOnly = EntryParts.leadingDot(of: &rest)
        parts.host = rest
        return try parts.withNamesBelow(andItself: !isBelowOnly)
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        guard !rule.isNetwork else { throw .network }
        let dot = try rule.leadingDot()
        return rule.origins.map { "\($0.scheme)\(dot)\(rule.host)\($0.port)" }
    }
}

extension EntryParts {
    /// The names below the host, and before them the host where it is meant too; an address has no names below it.
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
    /// Whether the rule is about a name or the names below one.
    var isName: Bool {
        switch place {
        case .name, .below: true
        case .ipv4, .ipv6: false
        }
    }
}
