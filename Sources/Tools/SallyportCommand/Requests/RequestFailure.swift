internal import Foundation
internal import HTTPAuthentication
internal import HTTPTypes
internal import NIOCore
internal import OAuth
internal import OfflineVerbs
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import WireFormat

/// Why a request has no response, and what that means for the exit status.
struct RequestFailure {
    /// Whether a party answered, and the answer was no; otherwise the request could not be made.
    let isAnswer: Bool
    /// The problem and the remedy.
    let text: String
    /// Which client certificate the server got, if it ended the handshake because of that.
    let identity: HandshakeIdentity?

    /// - Parameter session: that of the request; `nil` if none was sent.
    init(_ error: any Error, _ options: RequestArguments, _ session: RequestSession?) {
        let url = try? RequestURL(options.request.url)
        let place = url.map { "\($0.shown): " } ?? ""
        if case ClientError.tunnelRefused(let status, let reason, let outcome, let offer) = error, let url {
            let remedy = Self.remedy(reason, outcome, offer, options, url, session?.ways)
            text = "\(place)the proxy refused the tunnel with \(status)\(remedy)".inOneLine
        } else if case ClientError.connectionLost(let origin) = error,
            session?.authenticator.current.handler.hasIdentities(for: origin) == true
        {
            // With TLS 1.2 a server that asks for a certificate late gets no answer, and closes the connection.
            text = "\(error); if \(ResponseExplanation.lateRequest)"
        } else {
            text = Self.text(error, place, session?.certificateRemedy ?? CertificateRemedy()).inOneLine
        }
        isAnswer = Self.isNo(error)
        identity = HandshakeIdentity(error)
    }

    /// Whether a party answered, and the answer was no.
    static func isNo(_ error: any Error) -> Bool {
        switch error {
        case ClientError.tunnelRefused, ClientError.badRedirect, ClientError.upgraded: true
        case TLSError.serverNotValidated, TLSError.serverRejected, TLSError.identityNotAccepted: true
        // The alert is lost or it is not, by chance, and the status is one.
        case ClientError.closedAfterIdentity: true
        case AuthenticatorError.cancelled, RequestProblem.choiceCancelled: true
        case TokenServiceError.refused, TokenServiceError.codeEnded, is AuthorizationError, RedirectError.noRedirect,
            TokenProblem.notDecided,
            is OAuthTokenError:
            true
        default: false
        }
    }

    /// Why a token service gave nothing.
    static func text(ofService error: any Error) -> String { text(error, "", CertificateRemedy()) }

    /// What follows the status: the remedy, and before it the reason phrase, unless the refusal says it better.
    private static func remedy(
        _ reason: String,
        _ outcome: RequestOutcome,
        _ offer: OfferedChallenges,
        _ options: RequestArguments,
        _ url: RequestURL,
        _ ways: RequestWays?
    ) -> String {
        guard case .withheld(let refusal, let party) = outcome else {
            if let text = RelayMarker.text(of: reason) { return ": the relay says: \(text)" }
            return "\(reason.isEmpty ? "" : " ")\(reason): check the proxy's rules for this server"
        }
        return ": " + ResponseExplanation.remedy(refusal, party, offer, options, url, ways)
    }

    private static func text(_ error: any Error, _ place: String, _ remedy: CertificateRemedy) -> String {
        switch error {
        case let error as IOError:
            "\(place)no connection (\(SystemReason.text(error.errnoCode))): check the URL, the server and the network"
        case TLSError.serverNotValidated(_, .unknownAuthority, chain: _):
            "\(error); --cacert names a file of roots, and --ask-trust asks about the server's key"
        case TLSError.identityNotAccepted(let origin, .withhold(let refusal), let alert):
            "\(origin): \(remedy.party(origin)) requires a client certificate (\(alert)), and none was sent: "
                + remedy.text(refusal, for: origin)
        case TLSError.identityNotAccepted(let origin, .present(let identity), let alert) where remedy.isProxy(origin):
            "\(origin): the proxy refused the certificate of \(identity) (\(alert)): use one of an authority that it trusts"
        case ClientError.closedAfterIdentity(let origin, .withhold(let refusal)):
            "\(origin): \(remedy.party(origin)) closed the connection without an answer after it had asked for a client certificate, and none "
                + "was sent: \(remedy.text(refusal, for: origin))"
        case TLSError.identityUndecided(let question):
            "\(question): run the command at a terminal to choose one, or name one with --cert FILE or --cert-identity NAME"
        case TLSError.missingKey(let name):
            "\(remedy.shown(name)): there is no private key: name its file with 'key' below 'certificate' in the profile"
        case is CancellationError: "\(place)the request was cancelled: send it again"
        case let error as RequestProblem where error.isOfServer: "\(place)\(error)"
        case ClientError.badRequest, ClientError.deadlineExceeded, ClientError.tunnelRefused, ClientError.badRedirect,
            AuthenticatorError.cancelled, AuthenticatorError.noReply:
            "\(place)\(error)"
        case OAuthTokenError.notSignedIn(let name): "\(name): no token is stored: run sallyport login \(name)"
        case OAuthTokenError.noKey(let name):
            "\(name): the store has no key that the tokens are bound to, as 'dpop' asks: run sallyport login \(name)"
        case OAuthTokenError.notBound(let name):
            "\(name): the service binds no token to a key: allow DPoP for the client there, or remove 'dpop'"
        case OAuthTokenError.signInEnded(let name):
            "\(name): the sign-in has lasted as long as 'signed-in-seconds' allows: run sallyport login \(name)"
        default: (TLSReason.text(error) == nil ? "" : place) + TLSReason.sentence(error)
        }
    }
}
