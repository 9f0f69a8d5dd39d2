package import NTLM
internal import SPKIPins
internal import Secrets

/// The channel binding `tls-server-end-point` (RFC 5929 section 4): the hash of the server's certificate.
package enum ServerEndPoint {
    /// The binding for the leaf certificate of the connection, in DER.
    ///
    /// The hash is the one of the certificate's signature, with SHA-256 in place of MD5 and SHA-1. RFC 5929 leaves the
    /// binding undefined for a signature without one hash function (Ed25519, Ed448). SHA-224 and SHA-3 are not
    /// available here, so these signatures yield no binding either.
    package static func binding(certificate: [UInt8]) throws(ChannelBindingUse.Gap) -> ChannelBindings {
        let hash: SignatureHash?
        do throws(CertificateError) {
            hash = try CertificateWalk(of: certificate.span).signatureHash(in: certificate.span)
        } catch {
            throw .unreadableCertificate
        }
        let digest: [UInt8] =
            switch hash {
            case .md5, .sha1, .sha256: Digest32(sha256Of: certificate.span).bytes
            case .sha384: WideDigest.sha384(certificate.span)
            case .sha512: WideDigest.sha512(certificate.span)
            case nil: throw .noSignatureHash
            }
        return ChannelBindings(tlsServerEndPoint: digest.span)
    }
}
