internal import Hostnames

/// A rule that is to be written in a dialect.
struct WritableRule {
    let line: Int
    let rule: SiteRule
    /// Whether the list has equal rules for the host and for the names below it.
    let isPaired: Bool

    var isException: Bool { rule.isException }
    var schemes: SiteRule.Schemes { rule.schemes }
    var port: SiteRule.Port { rule.port }

    var isWildcard: Bool {
        if case .below = rule.place { return true }
        return false
    }

    /// Whether the rule is about more than one address.
    var isNetwork: Bool {
        switch rule.place {
        case .name, .below: false
        case .ipv4(let network): network.length < 32
        case .ipv6(let network): network.length < 128
        }
    }

    /// The host without `*.`.
    var host: String {
        switch rule.place {
        case .name(let name), .below(let name): String(decoding: name, as: UTF8.self)
        case .ipv4(let network): IPv4Address(rawValue: network.address).description
        case .ipv6(let network): "[\(IPv6Address(rawValue: network.address))]"
        }
    }

    /// The network without brackets.
    var bareNetwork: String {
        switch rule.place {
        case .name, .below: host
        case .ipv4(let network): "\(IPv4Address(rawValue: network.address))/\(network.length)"
        case .ipv6(let network): "\(IPv6Address(rawValue: network.address))/\(network.length)"
        }
    }

    /// `192.0.2.*` for a network of 24 bits.
    var lastOctetPattern: String? {
        guard case .ipv4(let network) = rule.place, network.length == 24 else { return nil }
        return IPv4Address(rawValue: network.address).description.dropLast() + "*"
    }

    /// The prefixes that express the schemes.
    var schemePrefixes: [String] {
        switch schemes {
        case .both: [""]
        case .https: ["https://"]
        case .http: ["http://"]
        }
    }

    /// The prefixes and suffixes that express schemes and ports.
    var origins: [(scheme: String, port: String)] {
        switch port {
        case .any: return schemePrefixes.map { ($0, "") }
        case .number(let number): return schemePrefixes.map { ($0, ":\(number)") }
        case .schemeDefault:
            let all: [Scheme] =
                switch schemes {
                case .both: [.http, .https]
                case .http: [.http]
                case .https: [.https]
                }
            return all.map { ("\($0.rawValue)://", ":\($0.defaultPort)") }
        }
    }

    /// The prefix in dialects where a name includes the names below it: empty, or a dot for the names below only.
    func leadingDot() throws(DialectLoss.Reason) -> String {
        guard rule.isName, !isPaired else { return "" }
        guard isWildcard else { throw .hostAlone }
        return "."
    }

    /// Throws if the rule has conditions that a dialect of plain hosts cannot express.
    func checkHostOnly() throws(DialectLoss.Reason) {
        guard !isNetwork else { throw .network }
        guard schemes == .both else { throw .scheme }
        guard port == .any else { throw .port }
    }
}
