/// Something that could not be said in the other language, and was left out.
public struct DialectLoss: Equatable, Sendable {
    /// The line, counted from 1; of dialects without lines, the number of the entry.
    public let line: Int
    /// The entry or rule as it was written.
    public let text: String
    /// Why it was left out.
    public let reason: Reason
    /// Reading: whether it may have been meant to take something away, so that the list without it allows more.
    public let mayBeException: Bool

    init(line: Int, text: String, reason: Reason, mayBeException: Bool = false) {
        (self.line, self.text, self.reason) = (line, text, reason)
        self.mayBeException = mayBeException
    }

    /// Why an entry or a rule was left out.
    public enum Reason: Error, Equatable, Sendable {
        /// It would be this error as a rule of ours.
        case rule(SiteRuleError.Reason)
        /// It names every site.
        case everySite
        /// A wildcard that is not the whole part before a dot.
        case pattern
        /// Names without a dot, whichever they are.
        case plainNames
        /// Neither `http` nor `https`.
        case unsupportedScheme
        /// The port is no number from 1 to 65535.
        case invalidPort
        /// A port or path that the other program does not look at, so that the entry means more than it says.
        case ignoredThere
        /// The other program takes it literally, so that it is no host at all.
        case withoutEffect
        /// No zone from 1 to 4 stands behind the site.
        case invalidZone
        /// Writing: the dialect has no exceptions.
        case exception
        /// Writing: the dialect has no paths.
        case path
        /// Writing: the dialect cannot tell schemes apart.
        case scheme
        /// Writing: the dialect cannot say these ports.
        case port
        /// Writing: the dialect has no networks of this kind.
        case network
        /// Writing: the dialect cannot name a host without the names below it.
        case hostAlone
        /// Writing: the dialect cannot name the names below a host without the host.
        case withoutHost
        /// Writing: a rule for a narrower host says less, and the dialect would not see that.
        case narrower(line: Int)
    }
}

extension DialectLoss.Reason: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .rule(.wildcardAbovePublicSuffix(let suffix)):
            "strangers own the names below '\(suffix)': write a longer name, or read the list with public suffixes allowed"
        case .rule(let reason): reason.description
        case .everySite: "it names every site: write the sites"
        case .pattern: "the wildcard is not a whole label at the left: write *.host, and host too if it is meant"
        case .plainNames: "it stands for every name without a dot: write the names"
        case .unsupportedScheme: "the scheme is neither http nor https"
        case .invalidPort: "the port must be a number from 1 to 65535"
        case .ignoredThere:
            "that program ignores this port or path, so it means every one: write the rule that is meant"
        case .withoutEffect: "that program takes this literally and never matches it: write the rule that is meant"
        case .invalidZone: "a zone from 1 to 4 must stand behind the site"
        case .exception: "the dialect has no exceptions"
        case .path: "the dialect has no paths"
        case .scheme: "the dialect would allow the other scheme too"
        case .port: "the dialect would allow other ports too"
        case .network: "the dialect has no such networks"
        case .hostAlone: "the dialect would allow the names below this host too: add a rule for them if they are meant"
        case .withoutHost: "the dialect would allow the host itself too: add a rule for it if it is meant"
        case .narrower(let line): "line \(line) says less for a narrower host, which the dialect would not see"
        }
    }
}

extension DialectLoss: CustomStringConvertible {
    /// One line: where, what, why and what to do.
    public var description: String { "\(line): \(text.debugDescription) is left out: \(reason)" }
}
