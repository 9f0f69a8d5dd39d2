public import Hostnames

/// Why a text is not a host pattern of a pin policy.
public enum HostPatternError: Error, Equatable, Sendable {
    /// The text after the wildcard is not a host.
    case invalidHost(HostnameError)
    /// A `*` occurs elsewhere than in `*.` or `**.` at the start.
    case misplacedWildcard
    /// The wildcard is directly above a single label, so it would pin a whole top-level domain.
    case wildcardAboveSingleLabel
    /// The wildcard is directly above a public suffix such as `co.uk` or `github.io`, below which others own names.
    case wildcardAbovePublicSuffix
    /// The wildcard precedes an IP address, which has no subdomains.
    case wildcardOverAddress
}

extension HostPatternError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .invalidHost(let error): "not a host: \(error)"
        case .misplacedWildcard: "a wildcard is '*.' or '**.' at the start, nothing else; write one of these"
        case .wildcardAboveSingleLabel: "a wildcard needs two labels behind it, as in *.host.example"
        case .wildcardAbovePublicSuffix:
            "a wildcard above a public suffix would pin the names of strangers; name each host or domain of yours"
        case .wildcardOverAddress: "an IP address has no subdomains; name the address alone"
        }
    }
}

/// Which hosts an entry of a pin policy covers. The forms and their meanings are OkHttp's.
///
/// Here `*.` covers exactly one label; in a rule of AllowedSites it covers one or more.
///
/// | pattern | covers | but not |
/// |---|---|---|
/// | `host.example` | that host | its subdomains |
/// | `*.host.example` | exactly one label more: `a.host.example` | `host.example`, `b.a.host.example` |
/// | `**.host.example` | `host.example` itself, and any number of labels more | |
package struct HostPattern: Hashable, Sendable {
    package enum Breadth: UInt8, Hashable, Sendable {
        case exact = 0
        case oneLabel = 1
        case anyLabels = 2

        /// The text before the host.
        var prefix: String {
            switch self {
            case .exact: ""
            case .oneLabel: "*."
            case .anyLabels: "**."
            }
        }
    }

    package let breadth: Breadth
    /// The host, without the wildcard.
    package let base: Hostname

    /// Makes a pattern of a wildcard, or none, and a host.
    package init(_ breadth: Breadth, _ base: Hostname) {
        self.breadth = breadth
        self.base = base
    }

    /// Reads a pattern, ignoring case.
    package init(parsing text: String) throws(HostPatternError) {
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
            base = try Hostname(parsing: rest)
        } catch {
            throw .invalidHost(error)
        }
        guard breadth != .exact else { return }
        guard case .name(let name) = base.form else { throw .wildcardOverAddress }
        guard name.contains(UInt8(ascii: ".")) else { throw .wildcardAboveSingleLabel }
        guard !PublicSuffixList.current.areStrangersBelow(name.span, in: 0..<name.count) else {
            throw .wildcardAbovePublicSuffix
        }
    }
}

extension HostPattern {
    /// Whether the pattern is an IP address, for which DNS has no records.
    package var isAddress: Bool { if case .name = base.form { false } else { true } }
}

extension HostPattern: CustomStringConvertible {
    package var description: String { breadth.prefix + base.description }
}
