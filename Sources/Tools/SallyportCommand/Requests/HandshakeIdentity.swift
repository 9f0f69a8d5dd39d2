internal import Hostnames
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO

/// What a server got when it asked for a client certificate in its TLS handshake.
struct HandshakeIdentity: Sendable {
    let origin: Origin
    /// What it got; `nil` if it did not ask.
    let decision: IdentityDecision?

    /// That of a response's connection; `nil` without TLS.
    init?(_ response: ClientResponse, from url: RequestURL) {
        guard url.location.origin.scheme == .https else { return nil }
        (origin, decision) = (url.location.origin, response.identity)
    }

    /// That of a handshake which the server ended because of the certificate, or of a connection that it closed without an answer after it
    /// had asked; or of a question that no person has answered. `nil` for another error.
    init?(_ error: any Error) {
        switch error {
        case TLSError.identityNotAccepted(let origin, let decision, alert: _),
            ClientError.closedAfterIdentity(let origin, let decision):
            (self.origin, self.decision) = (origin, decision)
        case TLSError.identityUndecided(let question), RequestProblem.choiceCancelled(let question):
            origin = question.origin
            decision = .withhold(.severalIdentities(question.candidates.map(\.identity.name)))
        default: return nil
        }
    }
}
