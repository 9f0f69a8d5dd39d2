public import SPKIPins

/// What a server accepts from clients, as its CertificateRequest says (RFC 5246 section 7.4.4, RFC 8446 section 4.3.2).
public struct CertificateRequest: Hashable, Sendable {
    /// The versions of TLS that decide which signatures a key can make.
    public enum Version: Hashable, Sendable {
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// The version of the connection; `nil` if it is not known.
    public var version: Version?
    /// The names of the accepted authorities in DER; empty for any authority, and if they are not known.
    public var authorities: [[UInt8]]
    /// The accepted SignatureSchemes, such as 0x0403 for ECDSA on P-256 with SHA-256; `nil` if they are not known.
    public var signatureSchemes: [UInt16]?
    /// The accepted kinds of certificates: 1 for RSA, 64 for ECDSA; only in TLS 1.2. `nil` for any.
    public var certificateTypes: [UInt8]?

    /// Describes a request.
    public init(
        version: Version? = nil,
        authorities: [[UInt8]] = [],
        signatureSchemes: [UInt16]? = nil,
        certificateTypes: [UInt8]? = nil
    ) {
        self.version = version
        self.authorities = authorities
        self.signatureSchemes = signatureSchemes
        self.certificateTypes = certificateTypes
    }

    /// A request of which nothing is known, so that it accepts any identity.
    public static let unknown = CertificateRequest()

    /// Whether a key can make a signature that the server accepts. A kind of key that is not known here is left to the TLS library.
    public func accepts(_ key: CertificateDetails.Key) -> Bool {
        guard let kind = SignatureSchemes.Kind(key) else { return true }
        if let certificateTypes, !certificateTypes.contains(kind.certificateType) { return false }
        guard let signatureSchemes else { return true }
        let makes = version == .tls13 ? kind.schemesOfTLS13 : kind.schemesOfTLS12
        return signatureSchemes.contains(where: makes.contains)
    }
}

/// The SignatureSchemes of keys (RFC 8446 section 4.2.3).
private enum SignatureSchemes {
    enum Kind {
        case rsa
        case ec(bits: Int?)
        case ed25519

        init?(_ key: CertificateDetails.Key) {
            switch key.type {
            case "RSA": self = .rsa
            case "EC": self = .ec(bits: key.bits)
            case "Ed25519": self = .ed25519
            default: return nil
            }
        }

        var certificateType: UInt8 { if case .rsa = self { 1 } else { 64 } }

        /// TLS 1.3 binds each scheme to a curve, and takes RSA with PSS only.
        var schemesOfTLS13: [UInt16] {
            switch self {
            case .rsa: [0x0804, 0x0805, 0x0806]
            case .ec(bits: 256): [0x0403]
            case .ec(bits: 384): [0x0503]
            case .ec(bits: 521): [0x0603]
            case .ec: []
            case .ed25519: [0x0807]
            }
        }

        /// TLS 1.2 also takes PKCS#1, any curve with any hash, and SHA-1.
        var schemesOfTLS12: [UInt16] {
            switch self {
            case .rsa: [0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0201]
            case .ec: [0x0403, 0x0503, 0x0603, 0x0203]
            case .ed25519: [0x0807]
            }
        }
    }
}
