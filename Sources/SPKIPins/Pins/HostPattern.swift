public import Hostnames

/// Why a text is not a host pattern of a pin policy.
public enum HostPatternError: Error, Equatable, Sendable {
    /// What is left without the wildcard is no host.
    case invalidHost(HostnameError)
    /// A `*` stands elsewhere than in `*.` or `**.` at the start.
    case misplacedWildcard
    /// A wildcard stands directly above a single label, so it would pin a whole top-level domain.
    case wildcardAboveSingleLabel
    /// A wildcard stands before an IP address, which has no subdomains.
    case wildcardOverAddress
}

extension HostPatternError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .invalidHost(let error): "not a host: \(error)"
        case .misplacedWildcard: "a wildcard is '*.' or '**.' at the start, nothing else; write one of these"
        case .wildcardAboveSingleLabel: "a wildcard needs two labels behind it, as in *.host.example"
        case .wildcardOverAddress: "an IP address has no subdomains; name the address alone"
        }
    }
}

/// Which hosts an entry of a pin policy covers.
///
/// | pattern | covers | but not |
/// |---|---|---|
/// | `host.example` | that host | its subdomains |
/// | `*.host.example` | exactly one label more: `a.host.example` | `host.example`, `b.a.host.example` |
/// | `**.host.example` | one label more, or several | `host.example` |
struct HostPattern: Hashable, Sendable {
    enum Breadth: Hashable, Sendable {
        case exact, oneLabel, anyLabels
    }

    let breadth: Breadth
    /// Canonical text of the host, or of the host that the wildcard stands above.
    let base: String

    init(parsing text: String) throws(HostPatternError) {
        let rest: Substring
        if text.hasPrefix("**.") {
            breadth = .anyLabels
            rest = text.dropFirst(3)
        } else if text.hasPrefix("*.") {
            breadth = .oneLabel
            rest = text.dropFirst(2)
        } else {
            breadth = .exact
            rest = text[...]
        }
        guard !rest.utf8.contains(UInt8(ascii: "*")) else { throw .misplacedWildcard }
        do throws(HostnameError) {
            base = try Hostname(parsing: rest).description
        } catch {
            throw .invalidHost(error)
        }
        guard breadth != .exact else { return }
        guard !Self.isAddress(base) else { throw .wildcardOverAddress }
        guard base.utf8.contains(UInt8(ascii: ".")) else { throw .wildcardAboveSingleLabel }
    }

    /// A colon makes a canonical host an IPv6 address, a numeric last label an IPv4 address (WHATWG URL, "ends in a number").
    private static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        let lastLabel = host.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }
        return lastLabel.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension HostPattern: CustomStringConvertible {
    var description: String {
        switch breadth {
        case .exact: base
        case .oneLabel: "*." + base
        case .anyLabels: "**." + base
        }
    }
}
