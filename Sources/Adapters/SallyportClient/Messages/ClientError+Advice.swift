internal import Hostnames
package import Sallyport
internal import SallyportNIO

extension ClientError {
    /// What a server may think of a certificate that it got, where it does not say why it refuses.
    package static func doubt(of identity: ClientIdentity) -> String {
        "the certificate of \(identity) was presented, and the server may have refused it (expired, revoked, or of an issuer that it does "
            + "not trust)"
    }

    /// `error` of a connection that has never answered.
    ///
    /// - Parameter identity: what was presented to the party at the other end of TLS; `nil` if it did not ask.
    static func advised(_ error: any Error, after identity: IdentityDecision?) -> any Error {
        guard let identity, case ClientError.connectionLost(let origin) = error else { return error }
        return ClientError.closedAfterIdentity(origin, identity)
    }

    /// `error` of a connection over which `proxy` has never answered, with what to do then.
    static func advised(_ error: any Error, of proxy: Origin) -> any Error {
        guard let remedy = PlainProxy.remedy(proxy) else { return error }
        switch error {
        case ClientError.connectionLost(proxy):
            return ClientError.notConnected(
                proxy,
                reason: "it closed the connection before it answered: try again; \(remedy)"
            )
        case ClientError.malformedResponse(proxy, reason: ResponseDefect.statusLine.problem):
            return ClientError.notConnected(proxy, reason: "\(ResponseDefect.statusLine); \(remedy)")
        default: return error
        }
    }
}
