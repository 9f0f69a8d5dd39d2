public import AllowedSites
public import HTTPAuthentication
internal import NTLM
internal import Negotiate
public import SPKIPins
internal import WireFormat

/// Why no credential is sent, or why a server is not trusted.
public enum Refusal: Equatable, Sendable {
    /// The allowed sites do not cover the party.
    case siteNotAllowed(SiteVerdict)
    /// The party offers no scheme of the profile that the account can use.
    case noSupportedScheme
    /// A challenge line cannot be read and may offer a stronger scheme than the readable lines; `nil` if the response
    /// has no challenge.
    case malformedChallenge(UnreadableChallenge?)
    /// The party challenges as a proxy, and the request is in a form that only origins receive, for example inside a
    /// tunnel.
    case notAProxyRequest
    /// The scheme shows the password to everyone on the path, and the party uses plain http.
    case cleartext(account: String, AuthenticationScheme)
    /// The scheme authenticates a connection, and the connection serves other requests too.
    case connectionShared(AuthenticationScheme)
    /// The scheme authenticates a connection, and the proxy before the origin does not say that it keeps connections of
    /// clients apart.
    case proxyWithoutSessions(AuthenticationScheme)
    /// The party offered a stronger scheme before.
    case downgraded(account: String)
    /// The answer cannot be bound to the TLS connection.
    case unbound(account: String, ChannelBindingUse.Gap)
    /// The party asks again and again; see ``RequestLimits/sends``.
    case tooManySends
    /// The party asked after the body was sent, and the body can be sent once.
    case bodySpent
    /// The profile has no account or identity for this site.
    case noCredential
    /// The party refused this password before, and the password has not changed.
    case budgetSpent(account: String)
    /// The party had accepted this password, and then refused it at this path; it is sent there again after this time. If `isDoubted`, the
    /// party has accepted it nowhere since, so that the password may have been changed; otherwise the account may lack permission.
    case pathWithheld(account: String, Duration, isDoubted: Bool)
    /// This password was refused several times in a row, at one party or at several; it is sent nowhere for this time, so that no directory
    /// locks the account.
    case accountPaused(account: String, Duration)
    /// The password was sent, and no response told whether it is right: connections were lost, or the party failed. Servers may have counted
    /// bad log-ons, so it is sent again after this time.
    case resultUnknown(account: String, Duration)
    /// The server requires an account of a domain.
    case domainRequired(account: String, target: String)
    /// The party refused the password. Before that it had declined these schemes, mostly none.
    case credentialsRefused(account: String, after: [SchemeFailure] = [])
    /// The party refused the token, or the account lacks permission for the page: some servers say both in the same way.
    case tokenRefused(account: String, after: [SchemeFailure] = [])
    /// The exchange failed for another reason.
    case exchangeFailed(account: String, ExchangeFailure)
    /// The party declined several schemes before it saw a password, or they may not answer here.
    case schemesFailed(account: String, [SchemeFailure])
    /// The authorities that the server names did not issue the identity.
    case issuerNotAccepted(identity: String)
    /// The extensions of the identity's certificate do not allow clients to use it.
    case identityNotForClients(identity: String)
    /// The server accepts no signature that the identity's key can make.
    case keyNotAccepted(identity: String)
    /// The time of the identity's certificate has not begun; the first second in which it is valid.
    case identityNotYetValid(identity: String, from: Int64)
    /// The identity's certificate has expired; the last second in which it was valid.
    case identityExpired(identity: String, since: Int64)
    /// Several identities fit, and the user has not said which.
    case severalIdentities([String])
    /// The user wants no identity to be presented at this host.
    case identityDeclined
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
        case .notAProxyRequest: "not-a-proxy-request"
        case .cleartext: "cleartext"
        case .connectionShared: "connection-shared"
        case .proxyWithoutSessions: "proxy-without-sessions"
        case .downgraded: "downgraded"
        case .unbound: "unbound"
        case .tooManySends: "too-many-sends"
        case .bodySpent: "body-spent"
        case .noCredential: "no-credential"
        case .budgetSpent: "budget-spent"
        case .pathWithheld: "path-withheld"
        case .accountPaused: "account-paused"
        case .resultUnknown: "result-unknown"
        case .domainRequired: "domain-required"
        case .credentialsRefused: "credentials-refused"
        case .tokenRefused: "token-refused"
        case .exchangeFailed(_, let failure): failure.isMalformed ? "malformed-challenge" : "exchange-failed"
        case .schemesFailed: "exchange-failed"
        case .issuerNotAccepted: "issuer-not-accepted"
        case .identityNotForClients: "identity-not-for-clients"
        case .keyNotAccepted: "key-not-accepted"
        case .identityNotYetValid: "identity-not-yet-valid"
        case .identityExpired: "identity-expired"
        case .severalIdentities: "several-identities"
        case .identityDeclined: "identity-declined"
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
        case .noSupportedScheme:
            "no scheme that is offered is in the profile and fits the account: add one of them to 'schemes', or give the account the password, "
                + "token or ticket that it takes"
        case .malformedChallenge(let line):
            line.map { "\($0)" }
                ?? "the response has the status of a challenge and no challenge: the account may lack permission for this page, "
                + "otherwise the server must send one"
        case .notAProxyRequest:
            "a proxy challenges only CONNECT and targets in absolute form: the origin sent this challenge, so do not "
                + "answer it for the proxy"
        case .cleartext(let account, let scheme):
            "\(scheme) over plain http shows the \(scheme.usesToken ? "token" : "password") of '\(account)' to everyone on the path: "
                + "use https, or allow it with 'cleartext: true'"
        case .connectionShared(let scheme):
            "\(scheme) authenticates a connection, and this one serves other requests: use HTTP/1.1, or offer another "
                + "scheme"
        case .proxyWithoutSessions(let scheme):
            "\(scheme) through a proxy that does not send 'Proxy-Support: Session-Based-Authentication' could give the "
                + "identity to other clients: use https"
        case .downgraded(let account):
            "the server offered a stronger scheme before: it or an attacker asks for a weaker one; allow it for "
                + "'\(account)' with 'downgrade: true' if the server has changed"
        case .unbound(let account, let gap):
            "the answer of '\(account)' is \(ChannelBindingUse.unbound(gap)), or say that the certificate is not known"
        case .tooManySends:
            "the party asked after \(RequestLimits.sends) sends of one request: correct the server or proxy"
        case .bodySpent:
            "the party asked for authentication after a body that can be sent once: give a body that can be repeated, or "
                + "send a request without a body first"
        case .noCredential: "the profile has no credential for this site: add an account or identity with a rule for it"
        case .budgetSpent(let account):
            "the password of '\(account)' was refused here before: update it; it is not sent again until it changes"
        case .pathWithheld(let account, let time, isDoubted: true):
            "the password of '\(account)' was refused here and accepted nowhere since, so it may have been changed: update it; "
                + "if it is right, give the account permission here, or ask again in \(Self.seconds(time))"
        case .pathWithheld(let account, let time, isDoubted: false):
            "the server refused '\(account)' at this path and accepts it elsewhere: give the account permission there, "
                + "or ask again in \(Self.seconds(time))"
        case .accountPaused(let account, let time):
            "the password of '\(account)' was refused several times: update it; the same one is sent again in "
                + Self.seconds(time)
        case .resultUnknown(let account, let time):
            "the password of '\(account)' was sent, and no response told whether it is right, so it may count as wrong: see why the server "
                + "or proxy does not answer; the password is sent again in \(Self.seconds(time))"
        case .domainRequired(let account, let target):
            "the server requires an account of a domain (it names \(VisibleText.quoted(target))): "
                + "write the user of '\(account)' as "
                + "\(VisibleText.name("\(target.isEmpty ? "DOMAIN" : target)\\USER")), or as \\USER if it has none"
        case .credentialsRefused(let account, let declined):
            "the password of '\(account)' was refused: update it" + Self.before(declined)
        case .tokenRefused(let account, let declined):
            "the token of '\(account)' was refused: give it another one, or the account a permission for this page"
                + Self.before(declined)
        case .exchangeFailed(let account, let failure): "with '\(account)': \(failure)"
        case .schemesFailed(let account, let failures):
            "with '\(account)' no scheme came to an answer: \(Self.list(failures))"
        case .issuerNotAccepted(let identity):
            "the server accepts no issuer of '\(identity)': use a certificate of an authority that it names"
        case .identityNotForClients(let identity):
            "the certificate of '\(identity)' is not for clients: use one whose keyUsage has digitalSignature and whose "
                + "extKeyUsage has clientAuth"
        case .keyNotAccepted(let identity):
            "the server accepts no signature of the key of '\(identity)': use an identity with another kind of key"
        case .identityNotYetValid(let identity, let begin):
            "the certificate of '\(identity)' is not valid before \(Timestamp.text(unixSeconds: begin)): check the clock, or wait"
        case .identityExpired(let identity, let end):
            "the certificate of '\(identity)' has expired on \(Timestamp.text(unixSeconds: end)): renew it"
        case .severalIdentities(let names):
            "several identities fit (\(names.map { "'\($0)'" }.joined(separator: ", "))): choose one in 'chosenIdentities', "
                + "or give the authenticator a source that asks"
        case .identityDeclined: "the user presents no identity at this host: sign out to be asked again"
        case .chainNotValidated: "the server's certificate chain is not valid"
        case .pinMismatch(let verdict): "the server has no pinned key: \(verdict)\(Self.remedy(verdict))"
        case .forbiddenKey(let verdict): "the server uses a forbidden key: \(verdict)"
        case .pinsExpired(let verdict): "the pins of this host have expired; renew them: \(verdict)"
        }
    }
}

extension Refusal {
    /// Whether the party refused what was sent, and not the handler to send it.
    package var isOfParty: Bool {
        switch self {
        case .credentialsRefused, .tokenRefused: true
        default: false
        }
    }

    private static func list(_ failures: [SchemeFailure]) -> String {
        failures.map { "\($0.scheme): \($0.reason.withoutAccount)" }.joined(separator: "; ")
    }

    /// What became of the schemes before the one whose answer was refused.
    private static func before(_ declined: [SchemeFailure]) -> String {
        declined.isEmpty ? "" : " (before it, \(list(declined)))"
    }

    /// The reason alone, where the account is named before.
    private var withoutAccount: String {
        if case .exchangeFailed(_, let failure) = self { return "\(failure)" }
        return "\(self)"
    }

    /// The key that the server has, and what to do with it.
    private static func remedy(_ verdict: PinVerdict) -> String {
        guard case .mismatched(let mismatch) = verdict, case .success(let pin)? = mismatch.found.first else {
            return ""
        }
        return
            "; its own key is \(pin): if its operator confirms that key, add it to the pins of \(mismatch.pattern); otherwise "
            + "someone may stand between"
    }

    /// A time in whole seconds, rounded up.
    private static func seconds(_ time: Duration) -> String {
        "\(time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)) seconds"
    }
}

extension ExchangeFailure {
    /// Whether the cause is the party's challenge and not our account.
    var isMalformed: Bool {
        switch self {
        case .malformedChallenge, .missingParameter, .unreadable, .lostBytes: true
        case .handshake(.message): true
        case .negotiation(let error): error.isMalformedToken
        default: false
        }
    }
}
