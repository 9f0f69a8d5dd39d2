/// The parts of an entry of a dialect, ready to be parsed as a rule.
struct EntryParts {
    var isException = false
    /// `http`, `https` or `*`.
    var scheme = "*"
    var isWildcard = false
    /// A name, an address or a network; parsing the rule checks it.
    var host: Substring
    /// A number, or `*`.
    var port = "*"

    /// The text of the rule in a site list.
    var ruleText: String {
        let star = isWildcard ? "*." : ""
        return "\(isException ? "!" : "")\(scheme)://\(star)\(host):\(port)"
    }
}

extension EntryParts {
    /// Removes `scheme://` from the start of `entry` and returns the scheme, or `*` if the entry has none.
    static func scheme(of entry: inout Substring) throws(DialectLoss.Reason) -> String {
        guard let end = entry.firstRange(of: "://") else { return "*" }
        let scheme = entry[..<end.lowerBound].lowercased()
        entry = entry[end.upperBound...]
        guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme }
        return scheme
    }

    /// Removes `:port` from the end of `entry` and returns the port, or `*` if the entry has none.
    static func port(of entry: inout Substring) throws(DialectLoss.Reason) -> String {
        guard let colon = entry.lastIndex(of: ":"), !entry[colon...].contains("]") else { return "*" }
        let digits = entry[entry.index(after: colon)...]
        // Some programs compare ports as text, so only the canonical number is accepted.
        guard let number = UInt16(digits), String(number) == digits, number > 0 else {
            throw .invalidPort
        }
        entry = entry[..<colon]
        guard entry.hasPrefix("[") || !entry.contains(":") else { throw .invalidPort }
        return String(number)
    }

    /// Removes a leading dot of `entry`; returns whether it had one.
    static func leadingDot(of entry: inout Substring) -> Bool {
        guard entry.hasPrefix(".") else { return false }
        entry.removeFirst()
        return true
    }

    /// The network of an entry such as `10.1.2.3/8`. The programs ignore bits after the prefix length. They do not
    /// accept brackets or text after the length: such an entry never matches.
    static func network(_ text: Substring) throws(DialectLoss.Reason) -> Substring {
        guard let slash = text.firstIndex(of: "/"), !text.hasPrefix("[") else { throw .withoutEffect }
        let length = text[text.index(after: slash)...]
        guard !length.isEmpty, length.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw .withoutEffect
        }
        let address = text[..<slash]
        guard address.contains(":") else { return masked(text) }
        return masked("[\(address)]/\(length)")
    }

    /// What is wrong with a pattern, in a dialect that has networks: `127.0.0.*` and `10.*` are meant as one.
    static func patternProblem(_ pattern: Substring) -> DialectLoss.Reason {
        let octets = pattern.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = octets.prefix { UInt8($0).map(String.init) == String($0) }
        let stars = octets.dropFirst(numbers.count)
        guard !numbers.isEmpty, octets.count <= 4, !stars.isEmpty, stars.allSatisfy({ $0 == "*" }) else {
            return .pattern
        }
        let address = numbers.map(String.init) + Array(repeating: "0", count: 4 - numbers.count)
        return .addressPattern(network: "\(address.joined(separator: "."))/\(numbers.count * 8)")
    }

    private static func masked(_ text: Substring) -> Substring {
        do throws(SiteRuleError) {
            _ = try SiteRule(parsing: text)
        } catch {
            if case .hostBitsSet(let remedy) = error.reason { return Substring(remedy) }
        }
        return text
    }
}
