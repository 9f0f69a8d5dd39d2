internal import AllowedSites
internal import Foundation
internal import HTTPAuthentication
internal import HTTPTypes
internal import NIOHTTP1
internal import Negotiate
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import SallyportClient
internal import WireFormat

/// What a response says about the request: yes, or why not and what to do.
struct ResponseExplanation {
    let status: HTTPResponseStatus
    let outcome: RequestOutcome
    /// Which client certificate the server got; `nil` without TLS.
    let identity: HandshakeIdentity?
    /// Why the answer is no, and the remedy; `nil` for a success.
    let problem: String?

    init(_ response: ClientResponse, _ options: RequestArguments, _ session: RequestSession) {
        let (url, ways) = (session.url, session.ways)
        let names = [session.tokenAccount, session.placedTokenAccount].compactMap { $0?.name }
        status = response.status
        outcome = response.outcome
        let final = (try? RequestURL(response.url)) ?? url
        identity = HandshakeIdentity(response, from: final)
        let fields = response.fields
        problem =
            switch (outcome, status.code) {
            case (.withheld(let refusal, let party), let code) where outcome.isUnproven(status: Int(code)):
                // Its fields may be an impostor's, who could advise the person.
                Self.remedy(refusal, party, OfferedChallenges(by: party, in: [:]), options, final, ways)
            case (.withheld(.tokenRefused(let name, _), .origin), _) where names.contains(name):
                Self.tokenRemedy(fields)
                    ?? "the server does not take the token of '\(name.inOneLine)': it may lack a permission, which 'scope' asks "
                    + "for; otherwise run sallyport login \(name.inOneLine) again"
            case (.withheld(let refusal, let party), _):
                Self.tokenRemedy(fields)
                    ?? Self.remedy(refusal, party, OfferedChallenges(by: party, in: fields), options, final, ways)
            case (_, 200..<300): nil
            default:
                Self.tokenRemedy(fields)
                    ?? Self.certificateRemedy(response, final, session.certificateRemedy)
                    ?? Self.lateCertificate(response, final, session.authenticator.current.handler)
                    ?? (status.code >= 500 ? FailedProxy.text(status.reasonPhrase, fields) : nil)
                    ?? Self.remedy(status, wasAccepted: outcome == .accepted)
            }
    }

    /// The URL of the last hop, without its query, which may hold a secret.
    static func url(of response: ClientResponse, _ first: RequestURL) -> String {
        ((try? RequestURL(response.url)) ?? first).shown
    }

    var isSuccess: Bool { problem == nil }

    /// Whether the response may be that of an impostor.
    var isUnproven: Bool { outcome.isUnproven(status: Int(status.code)) }

    /// One word for the authentication: `not-challenged`, `accepted` or `withheld`.
    var word: String {
        switch outcome {
        case .notChallenged: "not-challenged"
        case .accepted: "accepted"
        case .withheld: "withheld"
        }
    }

    /// The reason of a refusal as one word; `nil` without one.
    var code: String? {
        guard case .withheld(let refusal, _) = outcome else { return nil }
        return refusal.code
    }

    /// `404 Not Found`; the number alone of what may be an impostor.
    var statusText: String { isUnproven ? "\(status.code)" : "\(status.code) \(status.reasonPhrase)".inOneLine }

    /// A refusal with the remedy of the command line.
    ///
    /// - Parameters:
    ///   - offer: what the party offered.
    ///   - ways: those of the request.
    static func remedy(
        _ refusal: Refusal,
        _ party: ChallengedParty,
        _ offer: OfferedChallenges,
        _ options: RequestArguments,
        _ url: RequestURL,
        _ ways: RequestWays?
    ) -> String {
        let hasProfile = options.account.profile != nil
        let profile = hasProfile ? "the profile" : "a profile (--profile)"
        let who = party == .proxy ? "the proxy" : "the server"
        let origin =
            party == .proxy ? ways?.proxy(for: url.location.origin) ?? url.location.origin : url.location.origin
        let gap = offer.gap(showsBasic: origin.scheme == .http && !options.account.cleartext)
        let text = { (gap: OfferGap) in Self.text(gap, party, offer, profile) }
        let known = OfferGap.names(offer.challenges.map(\.scheme).filter(\.isAnswerable))
        switch (refusal, gap) {
        case (.siteNotAllowed, _) where party == .origin && !hasProfile:
            return
                "\(origin) may not receive credentials, because only the origin of the argument and its "
                + "proxy may: request this URL itself, or use --profile"
        case (.siteNotAllowed, _) where party == .proxy && !hasProfile && ways?.pac != nil:
            return
                "the proxy \(origin) may not receive credentials, because only the PAC file names it: give --proxy \(origin), too, or use "
                + "--profile"
        case (.siteNotAllowed(let verdict), _):
            let reason = Self.text(verdict, options.account.profile)
            return
                "\(who) \(origin) may not receive credentials (\(reason)): let the list 'sites' of \(profile) allow it"
        case (.noCredential, let gap?): return "\(who) \(text(gap))"
        case (.noSupportedScheme, .unknown(let names)?): return "\(who) \(text(.unknown(names)))"
        case (.noSupportedScheme, .nothing?): return "\(who) \(text(.nothing))"
        case (.noCredential, nil):
            // An entry of netrc cannot name a proxy.
            let places = (hasProfile ? [] : ["--profile"]) + (party == .proxy ? [] : ["--netrc"])
            return
                "\(who) asks for credentials, and there are none: keep a password with sallyport credentials add \(origin)"
                + "\(party == .proxy ? " --proxy" : "") --user NAME, give \(places.map { "\($0), " }.joined())--git, or run at a terminal"
        case (.malformedChallenge(nil), .nothing?) where !hasProfile: return "\(who) \(text(.nothing))"
        case (.noSupportedScheme, _) where !hasProfile:
            let ticket = offer.challenges.contains { $0.scheme == .negotiate } && !options.account.kerberos
            return
                "\(who) offers only \(known), which needs a profile: use --profile\(ticket ? ", or --kerberos for a ticket" : "")"
        case (.noSupportedScheme, _):
            return "\(who) offers no scheme of the profile: add one of \(known) to 'schemes' if it may answer"
        default: return remedy(refusal, party)
        }
    }

    /// A verdict, with the words of `explain` for its rule.
    static func text(_ verdict: SiteVerdict, _ profile: String?) -> String {
        guard let profile, let line = verdict.rule?.line else { return "\(verdict)" }
        return "\(verdict)".replacing("line \(line)", with: "rule \(line) of \(profile.inOneLine)")
    }

    private static func text(
        _ gap: OfferGap,
        _ party: ChallengedParty,
        _ offer: OfferedChallenges,
        _ profile: String
    ) -> String {
        switch gap {
        case .nothing: "asks for credentials and names no scheme, so nothing can be answered: ask its operator"
        case .unreadable(let line):
            "sends a challenge that cannot be read, so nothing is answered: \(line): ask its operator"
        case .unknown(let schemes):
            "offers only \(OfferGap.names(schemes)), which sallyport does not know: ask its operator for Negotiate, NTLM, Digest, Basic or a "
                + "token, or use a client that knows it"
        case .token:
            "asks for a token, and there is none: give \(profile) an account that has 'token' or 'oauth' for this site"
        case .cleartext:
            "offers \(offer.challenges.allSatisfy(\.scheme.isAnswerable) ? "Basic alone" : "only Basic beside what sallyport does not know"), "
                + "and Basic over plain http shows the password to everyone on the path: \(encrypted(party)), or allow it with --cleartext"
        }
    }

    /// How a party is reached with TLS.
    private static func encrypted(_ party: ChallengedParty) -> String {
        party == .proxy ? "name a proxy with https:// if there is one" : "use https"
    }

    private static func remedy(_ refusal: Refusal, _ party: ChallengedParty) -> String {
        switch refusal {
        case .exchangeFailed(let account, .negotiation(.serverNotProven)):
            return
                "\(party == .proxy ? "the proxy" : "the server") took the ticket of '\(account)' and sent no proof of its own, so "
                + "its response may be that of an impostor: check its name, and that it sends the last token (Squid 5 sends "
                + "none), or allow it with 'negotiate-mutual: optional' in the account"
        case .cleartext(let account, let scheme):
            return
                "\(scheme) over plain http shows the \(scheme.usesToken ? "token" : "password") of '\(account)' to everyone on the path: "
                + "\(encrypted(party)), or allow it with 'cleartext: true', or with --cleartext for an account without a rule"
        default: return "\(refusal)"
        }
    }

    /// What a server says about the token of the request (RFC 6750 section 3.1, RFC 9470); `nil` if it does not say what to do.
    private static func tokenRemedy(_ fields: HTTPFields) -> String? {
        let offer = OfferedChallenges(by: .origin, in: fields)
        guard let challenge = offer.challenges.lazy.compactMap({ BearerChallenge($0) }).first else {
            return nil
        }
        switch challenge.problem {
        case .insufficientScope:
            let scope = challenge.scope.map { " \(VisibleText.quoted($0))" } ?? ""
            return "the token lacks the scope\(scope) that this page needs: add it to the account's 'scope', and run "
                + "sallyport login again"
        case .insufficientAuthentication:
            return "the server needs a newer or stronger sign-in: run sallyport login again"
        case .invalidToken:
            return "the server does not take the token: run sallyport login again, or give another token"
        case .invalidRequest: return "the server cannot read the request with the token: check the URL"
        case .invalidProof:
            return "the server does not take the proof that the token's key is here: check the clock of this machine"
        case .missingNonce:
            return
                "the server demands another nonce in each proof that the token's key is here: report it to its operator"
        case nil, .other: return nil
        }
    }

    /// What to do about a status with which servers refuse the certificate of the handshake, or that they got none; `nil` for another one.
    ///
    /// nginx sends 400 for its own 496, and rules of Apache and of applications send 403.
    private static func certificateRemedy(
        _ response: ClientResponse,
        _ url: RequestURL,
        _ remedy: CertificateRemedy
    ) -> String? {
        guard let identity = response.identity, url.location.origin.scheme == .https else { return nil }
        switch response.status.code {
        case 400, 495, 496: break
        case 403 where response.outcome != .accepted: break
        default: return nil
        }
        switch identity {
        case .present(let identity):
            let meaning = Self.remedy(response.status, wasAccepted: response.outcome == .accepted)
            return "\(meaning); \(ClientError.doubt(of: identity))"
        case .withhold(let refusal):
            let remedy = remedy.text(refusal, for: url.location.origin)
            return "the server asked for a client certificate, and none was sent: \(remedy)"
        }
    }

    /// What to do about a 403 of a server that has not asked for the certificate that is meant for it; `nil` for another response.
    ///
    /// Apache with `SSLVerifyClient` in a `<Location>` asks after the handshake.
    private static func lateCertificate(
        _ response: ClientResponse,
        _ url: RequestURL,
        _ handler: ChallengeHandler
    ) -> String? {
        let origin = url.location.origin
        guard origin.scheme == .https, response.identity == nil, response.status.code == 403,
            response.outcome != .accepted, handler.hasIdentities(for: origin)
        else { return nil }
        return
            "the server refuses this page, and did not ask for the client certificate that is meant for it: check the URL; if "
            + lateRequest
    }

    /// A condition and its remedy.
    static let lateRequest =
        "the server asks for a certificate after the handshake, which Sallyport does not answer, let it ask in the handshake"

    private static func remedy(_ status: HTTPResponseStatus, wasAccepted: Bool) -> String {
        switch status.code {
        case 304:
            "the page has not changed since the copy that the request names: remove If-None-Match or If-Modified-Since to get it"
        case 300..<400: "the server leads elsewhere: raise --max-redirects, or check the URL"
        case 401: "the server asks for credentials: check the account"
        case 407:
            "the server answers as a proxy, which it is not for this request: if it is one, name it with --proxy and request the page itself; "
                + "otherwise check the URL"
        case 403 where !wasAccepted:
            "the server refuses this page and asks for no credentials: check the URL, or ask its operator"
        case 403: "the server refuses this page to the account: ask for permission, or use another one with --user"
        case 404, 410: "the server has no such page: check the URL"
        case 405: "the server does not take this method: check --request"
        case 408, 429: "the server takes no more requests now: try again later"
        case 500...: "the server failed: try again later, or ask its operator"
        default: "the server refuses the request: check it"
        }
    }
}
