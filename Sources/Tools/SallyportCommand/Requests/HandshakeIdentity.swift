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

    /// That of a handshake which the server ended because of the certificate; `nil` for another error.
    init?(_ error: any Error) {
        guard case TLSError.identityNotAccepted(let origin, let decision, alert: _) = error else { return nil }
        (self.origin, self.decision) = (origin, decision)
    }
}
