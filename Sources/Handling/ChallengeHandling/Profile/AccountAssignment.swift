public import Credentials
public import HTTPAuthentication
public import OAuth

/// An account, the sites where it answers, and how.
public struct AccountAssignment: Sendable {
    /// Who answers: user, domain and secret.
    public var account: Account
    /// Rules of the allowed-site language. Between assignments the most specific rule decides.
    public var sites: [String]
    /// The schemes that the account may use, in order of preference; `nil` for those of the profile.
    public var schemes: [AuthenticationScheme]?
    /// Whether a scheme that shows the secret to observers, such as Basic, may answer over plain http.
    public var allowsCleartext: Bool
    /// Whether a party that offered a stronger scheme before may be answered with a weaker one.
    public var allowsDowngrade: Bool
    /// Whether an answer over TLS may go out without channel binding because the certificate is not known.
    public var allowsUnbound: Bool
    /// Whether a token goes out with the first request to each party, before any challenge. Many programming interfaces send no
    /// challenge that a client could answer.
    public var sendsTokenFirst: Bool
    /// What the account accepts from parties that ask for Digest.
    public var digest: DigestRules
    /// How the account proves itself to parties that ask for Negotiate, and what it demands of them.
    public var negotiate: NegotiateRules
    /// Where the token of the account goes with each request, besides the answers of other accounts; `nil` for an account that answers
    /// challenges. Between placements the most specific rule decides.
    public var placement: TokenPlacement?
    /// Makes the proofs of a token that is bound to a key (RFC 9449); `nil` for an account without one. With it the token answers `DPoP` alone,
    /// whatever ``schemes`` says.
    public var prover: TokenProver?

    /// Assigns `account` to the sites of the rules `sites`.
    public init(
        _ account: Account,
        sites: [String],
        schemes: [AuthenticationScheme]? = nil,
        allowsCleartext: Bool = false,
        allowsDowngrade: Bool = false,
        allowsUnbound: Bool = false,
        sendsTokenFirst: Bool = false,
        digest: DigestRules = DigestRules(),
        negotiate: NegotiateRules = NegotiateRules(),
        placement: TokenPlacement? = nil,
        prover: TokenProver? = nil
    ) {
        self.account = account
        self.sites = sites
        self.schemes = schemes
        self.allowsCleartext = allowsCleartext
        self.allowsDowngrade = allowsDowngrade
        self.allowsUnbound = allowsUnbound
        self.sendsTokenFirst = sendsTokenFirst
        self.digest = digest
        self.negotiate = negotiate
        self.placement = placement
        self.prover = prover
    }
}
