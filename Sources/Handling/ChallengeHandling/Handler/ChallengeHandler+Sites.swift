package import AllowedSites
package import Hostnames

extension ChallengeHandler {
    /// Which rules of the profile's list were looked at for a party, and why the winner won.
    package func siteExplanation(for origin: Origin, path: String) -> SiteExplanation {
        sites.explain(origin, path: path)
    }

    /// The rule of a verdict, and the name of the list that it stands in.
    package func siteRule(at reference: RuleReference) -> (rule: SiteRule, list: String?)? {
        sites.rule(at: reference).map { ($0, sites.listName(of: reference)) }
    }

    /// The rule that gives an account to a party; `nil` if the profile has no account for it.
    package func accountRule(for origin: Origin, path: String) -> String? {
        compiled.accounts.rule(for: origin, path: path)?.description
    }
}
