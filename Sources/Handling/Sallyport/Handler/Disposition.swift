public import Credentials
internal import HTTPAuthentication
public import HTTPTypes
public import Hostnames
public import SPKIPins

/// A challenge of any kind, in one shape.
public enum AuthenticationChallenge: Sendable {
    /// The first 401 or 407 to a request.
    case http(ChallengedRequest, status: Int, fields: HTTPFields)
    /// A server that wants to be trusted, at a Unix time in seconds.
    case serverTrust(ServerTrust, now: Int64)
    /// A server that asks for a client certificate and names the authorities that it accepts.
    case clientCertificate(Origin, authorities: [[UInt8]])
}

/// What to do with a challenge, in the words that URL loading systems use.
public enum Disposition: Sendable {
    /// What is used when a challenge is answered.
    public enum Credential: Sendable {
        /// Repeat the request with the answer; hand the next response to the exchange.
        case answer(ChallengeAnswer, ChallengeExchange)
        /// Present this client certificate.
        case identity(ClientIdentity)
        /// Trust the server: a pin matched.
        case trust(PinVerdict)
    }

    /// Answer with this.
    case useCredential(Credential)
    /// Deliver the response as it is, or go on without a certificate.
    case continueWithoutCredential(Refusal)
    /// Nothing of ours applies: do what the system does by default.
    case performDefaultHandling
    /// This protection space cannot be answered; another one of the same response may be.
    case rejectProtectionSpace(Refusal)
    /// Give the request up and close the connection.
    case cancel(Refusal)
}

extension ChallengeHandler {
    /// Decides about one challenge; for HTTP schemes of several legs, go on with the exchange that comes back.
    @inlinable
    public func handle(_ challenge: AuthenticationChallenge) -> Disposition {
        switch challenge {
        case .http(let request, let status, let fields):
            // Most of what is turned away is turned away here, before there is an exchange.
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

    /// Decides about a response that ``denial(of:status:)`` lets pass.
    @usableFromInline
    func disposition(of request: ChallengedRequest, status: Int, fields: HTTPFields) -> Disposition {
        var running: RunningExchange?
        return switch decide(request, &running, status: status, fields: fields, nonces: .fresh) {
        case .answer(let answer):
            .useCredential(.answer(answer, ChallengeExchange(handler: self, request: request, running: running)))
        case .accepted, .notChallenged: .performDefaultHandling
        case .withhold(.noSupportedScheme): .rejectProtectionSpace(.noSupportedScheme)
        case .withhold(let refusal): .continueWithoutCredential(refusal)
        }
    }
}
