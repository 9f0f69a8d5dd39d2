internal import Credentials
internal import SPKIPins

/// An identity with the issuer names of its chain, to compare with a server's list of authorities.
struct PreparedIdentity: Sendable {
    let identity: ClientIdentity
    /// The issuers of the chain's certificates: DER Names, byte for byte.
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
