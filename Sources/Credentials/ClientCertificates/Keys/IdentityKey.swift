public import Secrets

/// The private key of a client identity.
///
/// Its description shows the kind only.
public struct IdentityKey: Sendable {
    /// What keys are supported: those with which TLS 1.3 signs and which this library can match to a certificate.
    public enum Kind: Equatable, Sendable {
        /// RSA with a modulus of so many bits, 2,048 at least.
        case rsa(bits: Int)
        /// ECDSA on P-256.
        case p256
        /// ECDSA on P-384.
        case p384
        /// ECDSA on P-521.
        case p521
    }

    /// The kind of the key.
    public let kind: Kind
    /// The key as PrivateKeyInfo of PKCS#8 (RFC 5208) in DER, without attributes.
    public let pkcs8: SharedSecret
    /// The public key as a certificate has it: SubjectPublicKeyInfo in DER.
    package let publicKeyInfo: [UInt8]

    init(_ kind: Kind, pkcs8: consuming [UInt8], publicKeyInfo: [UInt8]) {
        var pkcs8 = pkcs8
        self.kind = kind
        self.pkcs8 = SharedSecret(SecretBytes(consuming: &pkcs8))
        self.publicKeyInfo = publicKeyInfo
    }
}

extension IdentityKey: CustomStringConvertible {
    /// The kind of the key.
    public var description: String { "private key (\(kind))" }
}

extension IdentityKey.Kind: CustomStringConvertible {
    /// Such as `RSA 2048` or `EC P-256`.
    public var description: String {
        switch self {
        case .rsa(let bits): "RSA \(bits)"
        case .p256: "EC P-256"
        case .p384: "EC P-384"
        case .p521: "EC P-521"
        }
    }
}
