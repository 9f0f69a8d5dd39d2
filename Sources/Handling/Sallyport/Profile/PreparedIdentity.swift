internal import Credentials
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
