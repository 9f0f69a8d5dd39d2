internal import ChallengeHandling
package import Credentials

/// The names of an account, without what proves it.
public struct AccountNames: Hashable, Sendable {
    /// The name of the account in the profile.
    public let name: String
    /// The user name without its domain.
    public let user: String
    /// NetBIOS or DNS domain; `nil` for an account without one.
    public let domain: String?

    package init(_ account: Account) {
        name = account.name
        user = account.user
        domain = account.domain
    }
}
