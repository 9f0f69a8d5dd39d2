public import Credentials
public import Hostnames
internal import SPKIPins

/// An identity with the issuer names of its chain, which a server's list of authorities is compared with.
struct PreparedIdentity: Sendable {
    let identity: ClientIdentity
    /// The DER Names that issued the chain's certificates, as they stand in them.
    let issuers: Set<[UInt8]>

    init(_ identity: ClientIdentity) throws(ProfileError) {
        self.identity = identity
        var issuers: Set<[UInt8]> = []
        for certificate in identity.certificateChain {
            do throws(CertificateError) {
                let walk = try CertificateWalk(of: certificate.span)
                issuers.insert(Array(certificate[walk.issuer]))
            } catch {
                throw .invalidCertificate(identity: identity.name, error)
            }
        }
        self.issuers = issuers
    }
}

/// Which client certificate to present, if any.
public enum IdentityDecision: Equatable, Sendable {
    /// Present this identity.
    case present(ClientIdentity)
    /// Go on without a certificate; the server decides what that means.
    case withhold(Refusal)
}

extension ChallengeHandler {
    /// Chooses the client certificate for a TLS handshake in which the server asked for one.
    ///
    /// - Parameters:
    ///   - origin: the server that asks.
    ///   - authorities: the DER Names of its CertificateRequest (RFC 8446 section 4.2.4); empty accepts any issuer.
    public func identity(for origin: Origin, authorities: [[UInt8]]) -> IdentityDecision {
        if let refusal = siteRefusal(origin, path: "/") { return .withhold(refusal) }
        guard let index = identityTable.assignment(for: origin, path: "/") else { return .withhold(.noCredential) }
        let prepared = identities[index]
        guard authorities.isEmpty || authorities.contains(where: prepared.issuers.contains) else {
            return .withhold(.issuerNotAccepted(identity: prepared.identity.name))
        }
        return .present(prepared.identity)
    }
}
