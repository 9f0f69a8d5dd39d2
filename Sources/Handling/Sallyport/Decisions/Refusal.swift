public import AllowedSites
public import HTTPAuthentication
internal import NTLM
public import SPKIPins
internal import WireFormat

/// Why no credential goes out, or why a server is not trusted.
public enum Refusal: Equatable, Sendable {
    /// The allowed sites do not cover the party that asks.
    case siteNotAllowed(SiteVerdict)
    /// No offered scheme is both in the profile and answerable.
    case noSupportedScheme
    /// A challenge line cannot be read and may hold a stronger offer than the readable ones; `nil`: there is no challenge.
    case malformedChallenge(UnreadableChallenge?)
    /// The profile has no account, or no identity, for this site.
    case noCredential
    /// This password was refused here before, and it has not changed since.
    case budgetSpent(account: String)
    /// Another request tries an unproven password here right now; ask again when it has ended.
    case attemptInFlight(account: String)
    /// The server wants an account of a domain.
    case domainRequired(account: String, target: String)
    /// The party refused the password.
    case credentialsRefused(account: String)
    /// The exchange stopped for another reason.
    case exchangeFailed(account: String, ExchangeFailure)
    /// No identity of ours was issued by an authority that the server names.
    case issuerNotAccepted(identity: String)
    /// The TLS library could not validate the server's chain.
    case chainNotValidated
    /// The pins of this host do not allow this chain.
    case pinMismatch(PinVerdict)
    /// The chain has a key that the pins of this host forbid.
    case forbiddenKey(PinVerdict)
    /// The pins of this host have expired, and nothing else vouches for the server.
    case pinsExpired(PinVerdict)

    /// The reason in one stable, lower-case word, for events and JSON.
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
    /// One line: what happened and what to do.
    public var description: String {
        switch self {
        case .siteNotAllowed(let verdict): "the site may not receive credentials: \(verdict)"
        case .noSupportedScheme: "none of the offered schemes is in the profile"
        case .malformedChallenge(let line):
            line.map { "\($0)" } ?? "the response asks for credentials without a challenge: the server must send one"
        case .noCredential: "the profile has no credential for this site: add an account or identity with a rule for it"
        case .budgetSpent(let account):
            "the password of '\(account)' was refused here before: it is not sent again until it changes"
        case .attemptInFlight(let account): "'\(account)' is being tried here for the first time: ask again afterwards"
        case .domainRequired(let account, let target):
            "the server wants an account of a domain (it names \(VisibleText.quoted(target))): give '\(account)' a domain"
        case .credentialsRefused(let account): "the password of '\(account)' was refused: update it"
        case .exchangeFailed(let account, let failure): "with '\(account)': \(failure)"
        case .issuerNotAccepted(let identity): "the server accepts no issuer of '\(identity)'"
        case .chainNotValidated: "the server's certificate chain is not valid"
        case .pinMismatch(let verdict): "the server is not the pinned one: \(verdict)"
        case .forbiddenKey(let verdict): "a key of the server must not be used any more: \(verdict)"
        case .pinsExpired(let verdict): "the pins must be renewed before this host is used: \(verdict)"
        }
    }
}

extension ExchangeFailure {
    /// Whether the party's challenge, rather than our account, is to blame.
    var isMalformed: Bool {
        switch self {
        case .malformedChallenge, .missingParameter, .unreadable, .lostBytes: true
        case .handshake(.message): true
        default: false
        }
    }
}
