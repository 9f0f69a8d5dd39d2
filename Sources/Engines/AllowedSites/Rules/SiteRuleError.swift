public import Hostnames

/// Why a text is not a rule, with the place and the remedy.
public struct SiteRuleError: Error, Equatable, Sendable {
    /// The column of the error, in UTF-8 bytes of the rule counted from 1.
    public let column: Int
    /// What is wrong.
    public let reason: Reason

    init(_ reason: Reason, at offset: Int) {
        column = offset + 1
        self.reason = reason
    }

    /// The kinds of errors.
    public enum Reason: Equatable, Sendable {
        /// The scheme is not `https`, `http` or `*`.
        case unsupportedScheme
        /// `https:/`, `https//` or `https:` instead of `https://`.
        case incompleteScheme(String)
        /// An IPv6 address without its brackets.
        case bareIPv6
        /// A character that looks like `!` at the start or in the host.
        case lookalikeMark
        /// A user name before the host.
        case userinfo
        /// The host is malformed or ambiguous.
        case host(HostnameError)
        /// `*` alone would match every site.
        case bareWildcard
        /// `*host.example` would cover `evilhost.example`.
        case wildcardWithoutDot(host: String)
        /// A `*` that is not the first label.
        case innerWildcard
        /// `.host.example` means different things to different programs.
        case leadingDot(host: String)
        /// `10.0.0.1-50` or `10.0.0.x`, which some programs read as a range of addresses.
        case addressRange
        /// Addresses have no sub-domains.
        case wildcardAboveAddress
        /// A wildcard directly above a public suffix, where anyone can register a name.
        case wildcardAbovePublicSuffix(String)
        /// The prefix length of a network is not a number up to `longest`.
        case invalidPrefixLength(longest: Int)
        /// The address of a network has bits set after the prefix length; `remedy` is the network without them.
        case hostBitsSet(remedy: String)
        /// The port is neither a number from 1 to 65535 nor `*`.
        case invalidPort
        /// Servers may read the path as different resources.
        case path(PathDoubt)
        /// A `*` in the path.
        case wildcardInPath
        /// A query or a fragment.
        case queryInPath
        /// Parameters of a path segment, which servers read differently.
        case parametersInPath
        /// The rule has more bytes than ``SiteRule/maximumLength``.
        case tooLong
    }
}

extension SiteRuleError.Reason: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .unsupportedScheme: "the scheme is unknown: write https://, http://, or *:// for both"
        case .incompleteScheme(let scheme): "a scheme ends in '://': write \(scheme)://"
        case .bareIPv6:
            "an IPv6 address needs brackets: write [2001:db8::]/32 or [2001:db8::1]:8443"
        case .lookalikeMark:
            "this character looks like '!' but is another one: write '!', or write the host with its xn-- label"
        case .userinfo: "a rule cannot have a user name: remove everything up to '@'"
        case .host(let error): error.problem
        case .bareWildcard: "'*' alone matches every site: write the sites, one a line, such as *.host.example"
        case .wildcardWithoutDot(let host):
            "'*\(host)' would cover 'evil\(host)': write *.\(host) and \(host) as two rules"
        case .innerWildcard: "'*' can only be the whole first label: write one rule for each host"
        case .leadingDot(let host):
            "a dot at the start is ambiguous: write *.\(host), and also \(host) if the host itself is meant"
        case .addressRange: "this is a range of addresses: write each address, or networks such as 10.0.0.0/28"
        case .wildcardAboveAddress: "an address has no sub-domains: write a network such as 10.0.0.0/8"
        case .wildcardAbovePublicSuffix(let suffix):
            "anyone can register names below '\(suffix)': write a longer name, or '#! allow-public-suffix' in the list"
        case .invalidPrefixLength(let longest):
            "the prefix length must be a number from 0 to \(longest): for a path of digits, write address/\(longest)/path"
        case .hostBitsSet(let remedy): "the address has bits set after the prefix length: write \(remedy)"
        case .invalidPort: "the port must be a number from 1 to 65535, or '*' for any"
        case .path(let doubt): doubt.description
        case .wildcardInPath: "a path is already a prefix: remove the '*' and everything after it"
        case .queryInPath: "a rule cannot have a query or a fragment: end it after the path"
        case .parametersInPath: "servers read ';' in a path differently: end the rule before it"
        case .tooLong: "the rule is longer than \(SiteRule.maximumLength) bytes: shorten it"
        }
    }
}

extension SiteRuleError: CustomStringConvertible {
    /// One line: place, problem and remedy.
    public var description: String { "column \(column): \(reason)" }
}
