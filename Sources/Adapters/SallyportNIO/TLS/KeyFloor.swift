internal import SPKIPins
internal import WireFormat
internal import X509

/// The weakest keys that certificates of servers and of authorities between may have. Roots are not checked.
public struct KeyFloor: Hashable, Sendable {
    /// The fewest bits of an RSA modulus.
    public var rsaBits: Int
    /// The fewest bits of the field of an elliptic curve.
    public var curveBits: Int

    /// 2,048 bits for RSA and 256 for curves, as the CA/Browser Forum demands (Baseline Requirements 6.1.5).
    public init(rsaBits: Int = 2_048, curveBits: Int = 256) {
        self.rsaBits = rsaBits
        self.curveBits = curveBits
    }

    /// What is wrong with the key of a certificate; `nil` if it is strong enough, or of a kind whose size TLS decides about.
    func problem(of certificate: Certificate) -> InvalidServer? {
        guard let bytes = try? certificate.der, let key = try? CertificateDetails.Key(ofCertificate: bytes.span) else {
            return .unreadable
        }
        guard let bits = key.bits else { return nil }
        let least =
            switch key.type {
            case "RSA": rsaBits
            case "EC": curveBits
            default: 0
            }
        guard bits < least else { return nil }
        return .weakKey(subject: "\(certificate.subject)", key: "\(key.type) with \(bits) bits, at least \(least)")
    }
}
