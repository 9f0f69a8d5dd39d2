public import Credentials
internal import HTTPAuthentication
public import HTTPTypes
public import Hostnames
public import Negotiate
public import SPKIPins

/// A challenge of any kind.
public enum AuthenticationChallenge: Sendable {
    /// The first 401 or 407 to a request.
    case http(ChallengedRequest, status: Int, fields: HTTPFields)
    /// The certificate chain of a server, at a Unix time in seconds.
    case serverTrust(ServerTrust, now: Int64)
    /// A request of a server for a client certificate, with the authorities that it accepts.
    case clientCertificate(Origin, authorities: [[UInt8]])
}

/// The decision about a challenge, in the terms of URL loading systems.
public enum Disposition: ~Copyable, Sendable {
    /// The credential that answers a challenge.
    public enum Credential: ~Copyable, Sendable {
        /// Repeat the request with the answer, and pass the next response to the exchange.
        case answer(ChallengeAnswer, ChallengeExchange)
        /// Present this client certificate.
        case identity(ClientIdentity)
        /// Trust the server: a pin matched.
        case trust(PinVerdict)
    }

    /// Another request tries the same password now. Wait for the turn, then pass the same response to the exchange.
    case wait(AttemptTurn, ChallengeExchange)
    /// The scheme needs something that takes waiting. Fetch it, and pass it to the exchange.
    case needs(SystemMessageNeed, ChallengeExchange)
    /// Use this credential.
    case useCredential(Credential)
    /// Deliver the response, or continue without a certificate.
    case continueWithoutCredential(Refusal)
    /// The profile does not apply; use the default of the system.
    case performDefaultHandling
    /// This protection space cannot be answered; try another one of the same response.
    case rejectProtectionSpace(Refusal)
    /// Cancel the request and close the connection.
    case cancel(Refusal)
}

extension ChallengeHandler {
    /// Decides about one challenge. For schemes with several legs, continue with the returned exchange.
    @inlinable
    public func handle(_ challenge: AuthenticationChallenge) -> Disposition {
        switch challenge {
        case .http(let request, let status, let fields):
            // Most refusals happen here, before an exchange is made.
            if let verdict = denial(of: request, status: status) {
                return .continueWithoutCredential(.siteNotAllowed(verdict))
            }
            return disposition(of: request, status: status, fields: fields)
        case .serverTrust(let trust, let now):
            return switch evaluate(trust, now: now) {
            case .trusted(let verdict): .useCredential(.trust(verdict))
            case .validatedOnly: .performDefaultHandling
            case .rejected(let refusal): .cancel(refusal)
            }
        case .clientCertificate(let origin, let authorities):
            return switch identity(for: origin, authorities: authorities) {
            case .present(let identity): .useCredential(.identity(identity))
            case .withhold(let refusal): .continueWithoutCredential(refusal)
            }
        }
    }

    /// Decides about a response that ``denial(of:status:)`` does not refuse.
    @usableFromInline
    func disposition(of request: ChallengedRequest, status: Int, fields: HTTPFields) -> Disposition {
        var state = ExchangeState.fresh
        let decision = decide(
            request,
            &state,
            status: status,
            fields: fields,
            on: .http1,
            nonces: .fresh
        )
        return switch decision {
        case .answer(let answer):
            .useCredential(.answer(answer, ChallengeExchange(handler: self, request: request, state: state)))
        case .wait(let next):
            .wait(next, ChallengeExchange(handler: self, request: request, state: state))
        case .needs(let need):
            .needs(need, ChallengeExchange(handler: self, request: request, state: state))
        case .accepted, .notChallenged: .performDefaultHandling
        case .withhold(.noSupportedScheme): .rejectProtectionSpace(.noSupportedScheme)
        case .withhold(let refusal): .continueWithoutCredential(refusal)
        }
    }
}
