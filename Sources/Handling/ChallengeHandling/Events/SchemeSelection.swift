public import AllowedSites
public import HTTPAuthentication
public import Hostnames

/// How a handler has judged the offers of a party.
public struct SchemeSelection: Equatable, Sendable {
    /// What became of one scheme that the party offers.
    public enum Fate: Equatable, Sendable {
        /// It answers.
        case chosen
        /// The account may not use it, or no exchange for it exists.
        case notAllowed
        /// It may not answer here, for this reason.
        case obstacle(Refusal)
        /// Its challenge demands what this library or the request does not have.
        case unmetDemand
        /// The account prefers the chosen scheme.
        case lessPreferred
        /// It is weaker than a scheme whose challenge could not be met.
        case weaker
        /// The answer was withheld before the schemes were compared.
        case notCompared
    }

    /// A scheme that the party offers.
    public struct Offer: Equatable, Sendable {
        /// The offered scheme.
        public let scheme: AuthenticationScheme
        /// What became of it.
        public let fate: Fate
    }

    /// The party that challenges.
    public let party: ChallengedParty
    /// Scheme, host and port of that party.
    public let origin: Origin
    /// What the list of sites says about the party.
    public let site: SiteVerdict
    /// The rule of that list which decided, or which fits best; `nil` if there is none.
    public let siteRule: String?
    /// The name of the account for the party; `nil` if the profile has none.
    public let account: String?
    /// The rule that gives the account to the party.
    public let accountRule: String?
    /// The schemes that the party offers, each once, in the order of the response.
    public let offers: [Offer]
    /// The scheme that answers; `nil` if none does.
    public let chosen: AuthenticationScheme?
}

extension SchemeSelection.Fate {
    /// The fate as one stable lower-case word, for logs and JSON; the code of the ``Refusal`` for an obstacle.
    public var code: String {
        switch self {
        case .chosen: "chosen"
        case .notAllowed: "not-allowed"
        case .obstacle(let refusal): refusal.code
        case .unmetDemand: "unmet-demand"
        case .lessPreferred: "less-preferred"
        case .weaker: "weaker"
        case .notCompared: "not-compared"
        }
    }
}
