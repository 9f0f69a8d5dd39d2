public import ChallengeHandling
internal import CredentialSources
public import Credentials
public import HTTPAuthentication
internal import OAuth

/// Where an account answers, and how, for an account whose user and password a source gives.
public struct AccountPlace: Sendable {
    /// The name of the account in the profile, logs and verdicts.
    public var name: String
    /// Rules of the allowed-site language. Between places and accounts the most specific rule decides.
    public var sites: [String]
    /// The schemes that the account may use, in order of preference; `nil` for those of the profile.
    public var schemes: [AuthenticationScheme]?
    /// Whether a scheme that shows the secret to observers, such as Basic, may answer over plain http.
    public var allowsCleartext: Bool
    /// Whether a party that offered a stronger scheme before may be answered with a weaker one.
    public var allowsDowngrade: Bool
    /// Whether an answer over TLS may go out without channel binding because the certificate is not known.
    public var allowsUnbound: Bool
    /// Whether a token goes out with the first request to each party, before any challenge.
    public var sendsTokenFirst: Bool
    /// Brings the tokens of the account; `nil` for an account with a password. A place with a token source never asks for a password, and its
    /// schemes are `Bearer` alone unless it names others.
    public var tokens: (any TokenSource)?
    /// Whether the servers of the place are ArcGIS servers, which refuse a token with 498 or 499 in the body of a success. Clients read the
    /// begin of such bodies.
    public var readsArcGISErrors: Bool
    /// The `Referer` of requests with a token of the place, which tokens and keys may demand; `nil` leaves requests as they are.
    public var referer: String?
    /// Where the tokens of the place go with each request, besides the answers of another place or account; `nil` for tokens that answer
    /// challenges. Such a place needs ``tokens``.
    public var placement: TokenPlacement?
    /// What the account accepts from parties that ask for Digest.
    public var digest: DigestRules
    /// How Basic and Digest write user and domain; `nil` for the form that the source's text has.
    public var userForm: Account.UserForm?
    /// The set of places that it belongs to: what a source brings for a place of an older set does not count.
    var era: UInt64 = 0

    /// Names a place. The other properties have the values of a new `AccountAssignment`.
    public init(name: String, sites: [String]) {
        self.name = name
        self.sites = sites
        (schemes, digest, userForm) = (nil, DigestRules(), nil)
        (allowsCleartext, allowsDowngrade, allowsUnbound) = (false, false, false)
        (sendsTokenFirst, tokens) = (false, nil)
        (readsArcGISErrors, referer, placement) = (false, nil, nil)
    }

    /// The place of an account of a profile.
    init(of assignment: AccountAssignment) {
        self.init(name: assignment.account.name, sites: assignment.sites)
        (schemes, digest) = (assignment.schemes, assignment.digest)
        allowsCleartext = assignment.allowsCleartext
        allowsDowngrade = assignment.allowsDowngrade
        allowsUnbound = assignment.allowsUnbound
        sendsTokenFirst = assignment.sendsTokenFirst
        placement = assignment.placement
        // An account without a domain had no form that counted.
        userForm = assignment.account.domain == nil ? nil : assignment.account.userForm
    }

    /// Whether a password that was given for `other` may be sent here in the same way.
    func hasRules(of other: AccountPlace) -> Bool {
        (name, sites, schemes, placement) == (other.name, other.sites, other.schemes, other.placement)
            && (allowsCleartext, allowsDowngrade, allowsUnbound)
                == (other.allowsCleartext, other.allowsDowngrade, other.allowsUnbound)
    }

    /// The assignment of `credential` to this place.
    func assignment(of credential: Credential, user: String, domain: String?) -> AccountAssignment {
        // A person who types a domain types it before a backslash.
        let form = userForm ?? (domain == nil ? nil : .backslash)
        let account = Account(name: name, user: user, domain: domain, credential: credential, userForm: form)
        return AccountAssignment(
            account,
            sites: sites,
            schemes: schemes,
            allowsCleartext: allowsCleartext,
            allowsDowngrade: allowsDowngrade,
            allowsUnbound: allowsUnbound,
            sendsTokenFirst: sendsTokenFirst,
            digest: digest
        )
    }

    /// The assignment of a password to this place.
    func assignment(of credential: SuppliedCredential) -> AccountAssignment {
        assignment(of: .password(credential.password), user: credential.user, domain: credential.domain)
    }

    /// The assignment of a token to this place. The name of its user is not sent.
    func assignment(of token: AccessToken) -> AccountAssignment {
        var assignment = assignment(of: .token(token.secret), user: name, domain: nil)
        assignment.schemes = schemes ?? [.bearer]
        assignment.prover = token.prover
        assignment.allowsCleartext = allowsCleartext && !token.requiresTLS
        assignment.placement = placement
        // Such a server sends no challenge.
        if readsArcGISErrors { assignment.sendsTokenFirst = true }
        return assignment
    }
}
