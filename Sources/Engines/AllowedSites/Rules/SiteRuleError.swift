public import Hostnames

/// Why a text is not a rule, where, and what to write instead.
public struct SiteRuleError: Error, Equatable, Sendable {
    /// Where the rule goes wrong, in UTF-8 bytes of the rule; the first one is 1.
    public let column: Int
    /// What is wrong there.
    public let reason: Reason

    init(_ reason: Reason, at offset: Int) {
        column = offset + 1
        self.reason = reason
    }

    /// What can be wrong with a rule.
    public enum Reason: Equatable, Sendable {
        /// The scheme is none of `https`, `http` and `*`.
        case unsupportedScheme
        /// `https:/`, `https//` or `https:` where `https://` is meant.
        case incompleteScheme(String)
        /// An IPv6 address without its brackets.
        case bareIPv6
        /// A sign that looks like the `!` of an exception stands first, or in the host.
        case lookalikeMark
        /// A user stands before the host.
        case userinfo
        /// The host is not one certain host.
        case host(HostnameError)
        /// `*` alone names every site there is.
        case bareWildcard
        /// `*host.example` would cover `evilhost.example`.
        case wildcardWithoutDot(host: String)
        /// A `*` that is not the first label.
        case innerWildcard
        /// `.host.example` means different things to different programs.
        case leadingDot(host: String)
        /// `10.0.0.1-50` or `10.0.0.x`, which some programs take for many addresses, and which would be a name here.
        case addressRange
        /// Addresses have no sub-domains.
        case wildcardAboveAddress
        /// Strangers own the names below a public suffix.
        case wildcardAbovePublicSuffix(String)
        /// The length of a network is not a number up to `longest`.
        case invalidPrefixLength(longest: Int)
        /// The address of a network has bits behind its length; `remedy` is the network without them.
        case hostBitsSet(remedy: String)
        /// The port is neither a number from 1 to 65535 nor `*`.
        case invalidPort
        /// The path does not name one certain resource.
        case path(PathDoubt)
        /// A `*` in the path.
        case wildcardInPath
        /// A query or a fragment.
        case queryInPath
        /// Parameters of a path segment, which servers treat differently.
        case parametersInPath
        /// The rule has more bytes than ``SiteRule/maximumLength``.
        case tooLong
    }
}

extension SiteRuleError.Reason: CustomStringConvertible {
    /// What is wrong and what to write instead.
    public var description: String {
        switch self {
        case .unsupportedScheme: "the scheme is unknown: write https://, http://, or *:// for both"
        case .incompleteScheme(let scheme): "a scheme ends in '://': write \(scheme)://"
        case .bareIPv6:
            "an IPv6 address stands in brackets, and what follows behind them: [2001:db8::]/32, [2001:db8::1]:8443"
        case .lookalikeMark: "this looks like '!' and is another sign: write '!', or a host that has it as xn--"
        case .userinfo: "a user stands before the host: remove everything up to '@'"
        case .host(let error): error.problem
        case .bareWildcard: "'*' alone names every site: write the sites, one a line, as in *.host.example"
        case .wildcardWithoutDot(let host):
            "'*\(host)' would cover 'evil\(host)': write *.\(host) and \(host) as two rules"
        case .innerWildcard: "'*' can only be the whole first label: write one rule for each host"
        case .leadingDot(let host): "a dot at the start is ambiguous: write *.\(host), and \(host) too if it is meant"
        case .addressRange: "this is a range of addresses: write each of them, or networks, as in 10.0.0.0/28"
        case .wildcardAboveAddress: "an address has no sub-domains: write a network, as in 10.0.0.0/8"
        case .wildcardAbovePublicSuffix(let suffix):
            "strangers own the names below '\(suffix)': write a longer name, or '#! allow-public-suffix' in the list"
        case .invalidPrefixLength(let longest):
            "the length of this network goes from 0 to \(longest): for a path of digits, write address/\(longest)/path"
        case .hostBitsSet(let remedy): "the address has bits behind the length of the network: write \(remedy)"
        case .invalidPort: "the port must be a number from 1 to 65535, or '*' for any"
        case .path(let doubt): doubt.description
        case .wildcardInPath: "a path is a prefix already: remove the '*' and what follows"
        case .queryInPath: "a rule has no query and no fragment: end it with the path"
        case .parametersInPath: "servers differ about ';' in a path: end the rule before it"
        case .tooLong: "a rule has at most \(SiteRule.maximumLength) bytes"
        }
    }
}

extension SiteRuleError: CustomStringConvertible {
    /// One line: where it is, what is wrong and what to write instead.
    public var description: String { "column \(column): \(reason)" }
}
