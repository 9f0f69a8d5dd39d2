internal import Credentials
public import Hostnames

extension ChallengeHandler {
    /// Chooses the client certificate when a server asks for one in the TLS handshake.
    ///
    /// - Parameters:
    ///   - origin: the server that asks.
    ///   - authorities: the DER Names of its CertificateRequest (RFC 8446 section 4.2.4); empty accepts any issuer.
    public func identity(for origin: Origin, authorities: [[UInt8]]) -> IdentityDecision {
        if let refusal = siteRefusal(origin, path: "/") { return .withhold(refusal) }
        guard let index = compiled.identityTable.assignment(for: origin, path: "/") else {
            return .withhold(.noCredential)
        }
        let prepared = compiled.identities[index]
        guard authorities.isEmpty || authorities.contains(where: prepared.issuers.contains) else {
            return .withhold(.issuerNotAccepted(identity: prepared.identity.name))
        }
        return .present(prepared.identity)
    }
}
