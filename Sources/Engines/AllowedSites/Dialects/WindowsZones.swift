/// Site to Zone Assignment: `[scheme://]site`, then white space, `=` or `,`, then a zone; both may be quoted.
///
/// Only zone 1, the intranet, receives credentials without a question, so each other zone is read as an exception.
/// Windows ignores port and path of an entry. Whether `*.host` includes the host is not documented. Reading excludes it
/// in zone 1 and includes it in the other zones, unless zone 1 lists the host. Writing requires both rules in the list.
enum WindowsZones {
    static func words(of entry: Substring) -> [Substring] {
        entry.split { $0 == " " || $0 == "\t" || $0 == "=" || $0 == "," || $0 == "\"" }
    }

    static func parts(of entry: Substring) throws(DialectLoss.Reason) -> [EntryParts] {
        let words = words(of: entry)
        guard words.count == 2, let zone = ["1", "2", "3", "4"].firstIndex(of: words[1]).map({ $0 + 1 }) else {
            throw .invalidZone
        }
        var rest = words[0]
        var parts = EntryParts(isException: zone != 1, host: "")
        if rest.hasPrefix("*://") {
            rest.removeFirst(4)
        } else {
            parts.scheme = try EntryParts.scheme(of: &rest)
        }
        if rest.hasPrefix("*.") {
            parts.isWildcard = true
            rest.removeFirst(2)
        }
        guard rest != "*" else { throw .everySite }
        let afterAddress = rest.hasPrefix("[") ? rest.drop { $0 != "]" } : rest
        if let ignored = afterAddress.firstIndex(where: { $0 == ":" || $0 == "/" }) {
            // A wider exception is safe, a wider allowing rule is not.
            guard parts.isException else { throw .ignoredThere }
            let behind = rest[ignored...].dropFirst()
            // The digits may have been meant as a prefix length.
            guard rest[ignored] != "/" || behind.first?.isNumber != true else { throw .rule(.addressRange) }
            rest = rest[..<ignored]
        }
        // The only other wildcard replaces the last number of an IPv4 address.
        let octets = rest.split(separator: ".", omittingEmptySubsequences: false)
        if octets.count == 4, octets[3] == "*", !parts.isWildcard {
            rest = rest.dropLast() + "0/24"
        }
        guard !rest.contains("*") else { throw .pattern }
        parts.host = rest
        return [parts]
    }

    /// Exceptions for the hosts of wildcards outside zone 1, unless zone 1 lists the host. An entry for one scheme in
    /// another zone does not replace the wildcard for the other scheme.
    static func apexes(of rules: SiteListEntries) -> [SiteList.Entry] {
        var own: Set<ArraySlice<UInt8>> = []
        rules.forEachRecord { record in
            guard record.traits.isDisjoint(with: [.isException, .isWildcard, .isOther]) else { return }
            own.insert(rules.bytes[record.content])
        }
        var apexes: [SiteList.Entry] = []
        rules.forEachRecord { record in
            guard record.traits.isSuperset(of: [.isException, .isWildcard]) else { return }
            let name = rules.bytes[record.content]
            guard !own.contains(name) else { return }
            let rule = rules.rule(of: record)
            let apex = SiteRule(
                isException: true,
                schemes: rule.schemes,
                place: .name([UInt8](name)),
                port: rule.port,
                path: nil
            )
            apexes.append(SiteList.Entry(line: record.line, rule: apex))
        }
        return apexes
    }

    static func text(_ rule: WritableRule) throws(DialectLoss.Reason) -> [String] {
        guard rule.port == .any else { throw .port }
        let site: String
        if rule.isNetwork {
            guard let network = rule.lastOctetPattern else { throw .network }
            site = network
        } else {
            guard !rule.isWildcard || rule.isPaired || rule.isException else { throw .withoutHost }
            site = (rule.isWildcard ? "*." : "") + rule.host
        }
        let zone = rule.isException ? 3 : 1
        return rule.schemePrefixes.map { "\($0.isEmpty ? "*://" : $0)\(site)\t\(zone)" }
    }
}
