/// The parts of a rule, as an entry of a dialect spells them.
struct EntryParts {
    var isException = false
    /// `http`, `https` or `*`.
    var scheme = "*"
    var isWildcard = false
    /// A name, an address or a network; checked when the rule is parsed.
    var host: Substring
    /// A number, or `*`.
    var port = "*"

    /// The rule in our language.
    var ruleText: String {
        let star = isWildcard ? "*." : ""
        return "\(isException ? "!" : "")\(scheme)://\(star)\(host):\(port)"
    }
}

extension EntryParts {
    /// Takes `scheme://` away from the front of `entry`; both schemes where there is none.
    static func scheme(of entry: inout Substring) throws(DialectLoss.Reason) -> String {
        guard let end = entry.firstRange(of: "://") else { return "*" }
        let scheme = entry[..<end.lowerBound].lowercased()
        entry = entry[end.upperBound...]
        guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme }
        return scheme
    }

    /// Takes `:port` away from the end of `entry`; any port where there is none.
    static func port(of entry: inout Substring) throws(DialectLoss.Reason) -> String {
        guard let colon = entry.lastIndex(of: ":"), !entry[colon...].contains("]") else { return "*" }
        let digits = entry[entry.index(after: colon)...]
        // Some programs compare ports as texts.
        guard let number = UInt16(digits), String(number) == digits, number > 0 else {
            throw .invalidPort
        }
        entry = entry[..<colon]
        guard entry.hasPrefix("[") || !entry.contains(":") else { throw .invalidPort }
        return String(number)
    }

    /// Takes one dot away from the front of `entry`, and says whether there was one.
    static func leadingDot(of entry: inout Substring) -> Bool {
        guard entry.hasPrefix(".") else { return false }
        entry.removeFirst()
        return true
    }

    /// The network that `10.1.2.3/8` lies in: some programs do not mind bits behind the length. They do mind brackets, and all that
    /// follows the length: to them it is no network then, but a name that no request has.
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

    private static func masked(_ text: Substring) -> Substring {
        do throws(SiteRuleError) {
            _ = try SiteRule(parsing: text)
        } catch {
            if case .hostBitsSet(let remedy) = error.reason { return Substring(remedy) }
        }
        return text
    }
}
