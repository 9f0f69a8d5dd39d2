public import AllowedSites
public import HTTPAuthentication
internal import NTLM
public import SPKIPins
internal import WireFormat

/// Why no credential is sent, or why a server is not trusted.
public enum Refusal: Equatable, Sendable {
    /// The allowed sites do not cover the party.
    case siteNotAllowed(SiteVerdict)
    /// The party offers no scheme of the profile.
    case noSupportedScheme
    /// A challenge line cannot be read and may offer a stronger scheme than the readable lines; `nil` if the response
    /// has no challenge.
    case malformedChallenge(UnreadableChallenge?)
    /// The profile has no account or identity for this site.
    case noCredential
    /// The party refused this password before, and the password has not changed.
    case budgetSpent(account: String)
    /// Another request is trying an unproven password here now; ask again when it has ended.
    case attemptInFlight(account: String)
    /// The server requires an account of a domain.
    case domainRequired(account: String, target: String)
    /// The party refused the password.
    case credentialsRefused(account: String)
    /// The exchange failed for another reason.
    case exchangeFailed(account: String, ExchangeFailure)
    /// The authorities that the server names did not issue the identity.
    case issuerNotAccepted(identity: String)
    /// The TLS library could not validate the server's chain.
    case chainNotValidated
    /// The pins of this host do not allow this chain.
    case pinMismatch(PinVerdict)
    /// The chain contains a key that the pins of this host forbid.
    case forbiddenKey(PinVerdict)
    /// The pins of this host have expired, and the policy enforces them.
    case pinsExpired(PinVerdict)

    /// The reason as one stable lower-case word, for events and JSON.
    public var code: String {
        switch self {
        case .siteNotAllowed: "site-not-allowed"
        case .noSupportedScheme: "no-supported-scheme"
        case .malformedChallenge: "malformed-challenge"
        case .noCredential: "no-credential"
        case .budgetSpent: "budget-spent"
        case .attemptInFlight: "attempt-in-flight"
        case .domainRequired: "domain-required"
        case .credentialsRefused: "credentials-refused"
        case .exchangeFailed(_, let failure): failure.isMalformed ? "malformed-challenge" : "exchange-failed"
        case .issuerNotAccepted: "issuer-not-accepted"
        case .chainNotValidated: "not-validated"
        case .pinMismatch: "pin-mismatch"
        case .forbiddenKey: "forbidden-key"
        case .pinsExpired: "pins-expired"
        }
    }
}

extension Refusal: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .siteNotAllowed(let verdict): "the site may not receive credentials: \(verdict)"
        case .noSupportedScheme: "the server offers no scheme of the profile: add one of its schemes to 'schemes'"
        case .malformedChallenge(let line):
            line.map { "\($0)" } ?? "the response has the status of a challenge and no challenge: correct the server"
        case .noCredential: "the profile has no credential for this site: add an account or identity with a rule for it"
        case .budgetSpent(let account):
            "the password of '\(account)' was refused here before: update it; it is not sent again until it changes"
        case .attemptInFlight(let account):
            "another request tries the password of '\(account)' here for the first time: ask again when it has ended"
        case .domainRequired(let account, let target):
            "the server requires an account of a domain (it names \(VisibleText.quoted(target))): "
                + "give '\(account)' a domain"
        case .credentialsRefused(let account): "the password of '\(account)' was refused: update it"
        case .exchangeFailed(let account, let failure): "with '\(account)': \(failure)"
        case .issuerNotAccepted(let identity):
            "the server accepts no issuer of '\(identity)': use a certificate of an authority that it names"
        case .chainNotValidated: "the server's certificate chain is not valid"
        case .pinMismatch(let verdict): "the server has no pinned key: \(verdict)"
        case .forbiddenKey(let verdict): "the server uses a forbidden key: \(verdict)"
        case .pinsExpired(let verdict): "the pins of this host have expired; renew them: \(verdict)"
        }
    }
}

extension ExchangeFailure {
    /// Whether the cause is the party's challenge and not our account.
    var isMalformed: Bool {
        switch self {
        case .malformedChallenge, .missingParameter, .unreadable, .lostBytes: true
        case .handshake(.message): true
        default: false
        }
    }
}
