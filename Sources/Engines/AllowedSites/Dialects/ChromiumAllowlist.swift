/// `AuthServerAllowlist`: `[scheme://]pattern[:port]`; a leading dot means `*.`. Addresses and networks are allowed
/// too.
///
/// A pattern is a glob over the whole host, so `*example.com` also matches `evilexample.com`. Only `*.` can be
/// expressed as a rule.
enum ChromiumAllowlist {
    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        var rest = entry
        guard rest.lowercased() != "<local>" else { throw .plainNames }
        var parts = EntryParts(scheme: try EntryParts.scheme(of: &rest), host: "")
        if rest.contains("/") {
            // In Chromium only networks have a slash, and they have no port.
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
        guard !rest.contains("*"), !rest.contains("?") else {
            throw parts.isWildcard ? .pattern : EntryParts.patternProblem(rest)
        }
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
