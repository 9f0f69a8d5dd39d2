/// Site to Zone Assignment: `[scheme://]site`, and behind it white space, `=` or `,` and a zone; either may be in quotes.
///
/// Only zone 1, the intranet, is logged on to without a question, so every other zone is an exception. Windows drops port
/// and path of an entry. Whether `*.host` includes the host is not documented: reading says no of zone 1 and yes of the others,
/// unless zone 1 has an entry for the host, and writing wants it in the list.
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
            // An exception is made for more than it says; an allowance is not.
            guard parts.isException else { throw .ignoredThere }
            let behind = rest[ignored...].dropFirst()
            // Behind an address it may have been meant as the length of a network.
            guard rest[ignored] != "/" || behind.first?.isNumber != true else { throw .rule(.addressRange) }
            rest = rest[..<ignored]
        }
        // The only other wildcard is the last number of an IPv4 address.
        let octets = rest.split(separator: ".", omittingEmptySubsequences: false)
        if octets.count == 4, octets[3] == "*", !parts.isWildcard {
            rest = rest.dropLast() + "0/24"
        }
        guard !rest.contains("*") else { throw .pattern }
        parts.host = rest
        return [parts]
    }

    /// The hosts of wildcards in other zones than 1, unless zone 1 has an entry for them: beside one for the other scheme in another
    /// zone, the wildcard still counts.
    static func apexes(of entries: [WiderEntries.Entry]) -> [WiderEntries.Entry] {
        let own = Set(entries.filter { !$0.rule.isException }.map(\.rule.place))
        return entries.compactMap { entry in
            guard entry.rule.isException, case .below(let name) = entry.rule.place, !own.contains(.name(name)) else {
                return nil
            }
            let rule = SiteRule(
                isException: true,
                schemes: entry.rule.schemes,
                place: .name(name),
                port: entry.rule.port,
                path: nil
            )
            return (rule, entry.line)
        }
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
