public import HTTPAuthentication
public import Hostnames

/// A question of an authenticator. One question may serve many requests.
public struct CredentialAsk: Equatable, Sendable {
    /// Who is asked.
    public enum Source: String, Sendable {
        /// The credential store of the authenticator.
        case store
        /// The sources before the prompt.
        case sources
        /// The prompt, which a person sees.
        case prompt
        /// The token source of a place.
        case tokens
        /// The one who decides about a server that no authority vouches for.
        case trust
    }

    /// The kind of a reply, without what it says.
    public enum Reply: String, Sendable {
        /// A credential, or trust in the server.
        case use
        /// It has no credential for the question; the next one is asked.
        case nothing
        /// Go on without a credential.
        case goOnWithout = "go-on-without"
        /// Cancel the request.
        case cancel
        /// Do not ask for this space again, or do not trust this server.
        case reject
        /// No reply came in time, the question was cancelled, or the source failed.
        case failed
    }

    /// Who is asked.
    public let source: Source
    /// Scheme, host and port of the party that needs the credential, or of the server to trust.
    public let origin: Origin
    /// Who asked for the credential: the proxy or the origin.
    public let party: ChallengedParty
    /// The account whose password was refused; `nil` if there is none.
    public let account: String?

    package init(source: Source, origin: Origin, party: ChallengedParty, account: String?) {
        (self.source, self.origin, self.party, self.account) = (source, origin, party, account)
    }
}

/// What the pins of a profile say about a server.
public struct ServerJudgement: Equatable, Sendable {
    /// The host that the client wanted to reach.
    public let host: Hostname
    /// Whether the server may be used, and if not, why.
    public let decision: TrustDecision
}

/// What a sign-out has done.
public struct SignOutSummary: Equatable, Sendable {
    /// The names of the accounts that left the profile.
    public let accounts: [String]
    /// How many keys of servers are not trusted any more.
    public let trustedKeys: Int
    /// How many records were removed from the store.
    public let storedCredentials: Int
    /// Which parts could not be done, one line each; empty if all is done.
    public let failures: [String]

    package init(accounts: [String], trustedKeys: Int, storedCredentials: Int, failures: [String]) {
        (self.accounts, self.trustedKeys) = (accounts, trustedKeys)
        (self.storedCredentials, self.failures) = (storedCredentials, failures)
    }
}
