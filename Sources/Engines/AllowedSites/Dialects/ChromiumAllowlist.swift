/// `AuthServerAllowlist`: `[scheme://]pattern[:port]`, where a dot at the front stands for `*.`, addresses, and networks.
///
/// A pattern is a glob over the whole host, so `*example.com` takes `evilexample.com` along; only `*.` is a rule of ours.
enum ChromiumAllowlist {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard rest.lowercased() != "<local>" else { throw .plainNames }
        var parts = EntryParts(scheme: try EntryParts.scheme(of: &rest), host: "")
        if rest.contains("/") {
            // Chromium takes only networks with a slash, and those without a port.
            parts.host = try EntryParts.network(rest)
            return [parts]
        }
        parts.port = try EntryParts.port(of: &rest)
        parts.isWildcard = EntryParts.leadingDot(of: &rest)
        if !parts.isWildcard, rest.hasPrefix("*.") {
            parts.isWildcard = true
            rest.removeFirst(2)
        }
        guard rest != "*" else { throw .everySite }
        guard !rest.contains("*"), !rest.contains("?") else { throw .pattern }
        parts.host = rest
        return [parts]
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        if rule.isNetwork {
            guard rule.port == .any else { throw .port }
            return rule.schemePrefixes.map { $0 + rule.bareNetwork }
        }
        return rule.origins.map { origin in
            "\(origin.scheme)\(rule.isWildcard ? "*." : "")\(rule.host)\(origin.port)"
        }
    }
}
