internal import Crypto
internal import NTLM
internal import SPKIPins

/// The channel binding `tls-server-end-point` (RFC 5929 section 4): the hash of the server's certificate.
enum ServerEndPoint {
    /// The binding for a leaf certificate in DER.
    ///
    /// The hash is the one of the certificate's signature, with SHA-256 in place of MD5 and SHA-1. Where the signature
    /// names no single hash (Ed25519), the binding is undefined and none is sent.
    static func binding(certificate: [UInt8]) -> ChannelBindings? {
        guard let digest = digest(of: certificate) else { return nil }
        return ChannelBindings(tlsServerEndPoint: digest.span)
    }

    private static func digest(of certificate: [UInt8]) -> [UInt8]? {
        guard let walk = try? CertificateWalk(of: certificate.span),
            let hash = try? walk.signatureHash(in: certificate.span)
        else { return nil }
        return switch hash {
        case .md5, .sha1, .sha256: [UInt8](SHA256.hash(data: certificate))
        case .sha384: [UInt8](SHA384.hash(data: certificate))
        case .sha512: [UInt8](SHA512.hash(data: certificate))
        }
    }
}
