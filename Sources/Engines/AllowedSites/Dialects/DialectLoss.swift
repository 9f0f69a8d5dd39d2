/// An entry or rule that the other format cannot express and that was left out.
public struct DialectLoss: Equatable, Sendable {
    /// The line, counted from 1, or the number of the entry in dialects without lines.
    public let line: Int
    /// The text of the entry or rule.
    public let text: String
    /// Why it was left out.
    public let reason: Reason
    /// When reading: whether the entry may be an exception, so that the list would allow more without it.
    public let mayBeException: Bool
    /// When reading: whether the host of the entry is in the list, and only the names below it were left out.
    public let keepsHost: Bool

    init(line: Int, text: String, reason: Reason, mayBeException: Bool = false, keepsHost: Bool = false) {
        (self.line, self.text, self.reason) = (line, text, reason)
        (self.mayBeException, self.keepsHost) = (mayBeException, keepsHost)
    }

    /// Why an entry or a rule was left out.
    public enum Reason: Error, Equatable, Sendable {
        /// As a rule of a site list, the entry has this error.
        case rule(SiteRuleError.Reason)
        /// The entry matches every site.
        case everySite
        /// A wildcard that is not a whole label.
        case pattern
        /// A wildcard in an address, which is meant as a network.
        case addressPattern(network: String)
        /// The entry matches all names without a dot.
        case plainNames
        /// The scheme is not `http` or `https`.
        case unsupportedScheme
        /// The port is not a number from 1 to 65535.
        case invalidPort
        /// The other program ignores the port or path of the entry, so the entry covers more than its text says.
        case ignoredThere
        /// The other program compares the entry literally, so it never matches a host.
        case withoutEffect
        /// The site is not followed by a zone from 1 to 4.
        case invalidZone
        /// When writing: the dialect has no exceptions.
        case exception
        /// When writing: the dialect has no paths.
        case path
        /// When writing: the dialect cannot distinguish schemes.
        case scheme
        /// When writing: the dialect cannot express these ports.
        case port
        /// When writing: the dialect has no networks of this kind.
        case network
        /// When writing: the dialect cannot express a host without the names below it.
        case hostAlone
        /// When writing: the dialect cannot express the names below a host without the host.
        case withoutHost
        /// When writing: a rule for a narrower host allows less, which the dialect cannot express.
        case narrower(line: Int)
    }
}

extension DialectLoss.Reason: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .rule(.wildcardAbovePublicSuffix(let suffix)):
            "anyone can register names below '\(suffix)': write a longer name, or read the list with public suffixes allowed"
        case .rule(let reason): reason.description
        case .everySite: "it matches every site: write the sites"
        case .pattern:
            "the wildcard is not the whole first label: write *.host, and also host if the host itself is meant"
        case .addressPattern(let network): "an address cannot have a wildcard: write \(network)"
        case .plainNames: "it matches every name without a dot: write the names"
        case .unsupportedScheme: "the scheme is neither http nor https"
        case .invalidPort: "the port must be a number from 1 to 65535"
        case .ignoredThere:
            "that program ignores this port or path, so the entry covers all of them: write the rule that is meant"
        case .withoutEffect: "that program compares this literally, so it never matches: write the rule that is meant"
        case .invalidZone: "a zone from 1 to 4 must follow the site"
        case .exception: "the dialect has no exceptions"
        case .path: "the dialect has no paths"
        case .scheme: "the dialect would allow the other scheme too"
        case .port: "the dialect would allow other ports too"
        case .network: "the dialect has no such networks"
        case .hostAlone: "the dialect would allow the names below this host too: add a rule for them if they are meant"
        case .withoutHost: "the dialect would allow the host itself too: add a rule for it if it is meant"
        case .narrower(let line): "line \(line) allows less for a narrower host, which the dialect cannot express"
        }
    }
}

extension DialectLoss: CustomStringConvertible {
    /// One line: place, text, problem and remedy.
    public var description: String {
        guard keepsHost else { return "\(line): \(text.debugDescription) is left out: \(reason)" }
        return "\(line): \(text.debugDescription) is read as that host alone, without the names below it: \(reason)"
    }
}
