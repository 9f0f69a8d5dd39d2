internal import SPKIPins
internal import WireFormat
internal import X509

/// The weakest keys that certificates of servers and of authorities between may have. Of a root only the keys are refused that no signature is
/// checked with: RSA below 2,048 bits.
public struct KeyFloor: Hashable, Sendable {
    /// The fewest bits of an RSA modulus that swift-certificates reads. A lower ``rsaBits`` allows no smaller key.
    static let leastReadableRSABits = 2_048

    /// The fewest bits of an RSA modulus; less than 2,048 count as 2,048.
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
        return problem(of: key).map { .weakKey(subject: "\(certificate.subject)", key: $0) }
    }

    /// The same for a certificate in DER that swift-certificates does not read; `nil` if its key is not the cause.
    func problem(ofUnread certificate: [UInt8]) -> InvalidServer? {
        guard let key = try? CertificateDetails.Key(ofCertificate: certificate.span), let text = problem(of: key) else {
            return nil
        }
        // The names may be what cannot be read.
        let subject = try? CertificateDetails(of: certificate.span).subject
        return .weakKey(subject: subject ?? "unreadable name", key: text)
    }

    /// Why the key of a root in DER is too weak to check a signature with; `nil` if it is not.
    package static func weakness(ofRoot root: [UInt8]) -> String? {
        guard let key = try? CertificateDetails.Key(ofCertificate: root.span) else { return nil }
        return KeyFloor(rsaBits: leastReadableRSABits, curveBits: 0).problem(of: key)
    }

    private func problem(of key: CertificateDetails.Key) -> String? {
        guard let bits = key.bits else { return nil }
        let least =
            switch key.type {
            case "RSA": max(rsaBits, Self.leastReadableRSABits)
            case "EC": curveBits
            default: 0
            }
        return bits < least ? "\(key.type) with \(bits) bits, at least \(least)" : nil
    }
}
