/// How an identity lies in its file.
public struct IdentityForm: Hashable, Sendable {
    /// The format.
    public enum Container: String, Hashable, Sendable {
        /// Text blocks (RFC 7468), in one file or two.
        case pem = "PEM"
        /// A `.p12` or `.pfx` file (RFC 7292).
        case pkcs12 = "PKCS#12"
        /// The key is alone in a file of DER.
        case der = "DER"
    }

    /// An encryption by a passphrase.
    public struct Encryption: Hashable, Sendable {
        /// Cipher and key derivation, such as `AES-256 with PBKDF2 and SHA-256`.
        public let name: String
        /// The iterations of the key derivation.
        public let iterations: Int
        /// Whether it is RC2, Triple DES, or the key derivation of PKCS#12, which is SHA-1.
        public let isOld: Bool
    }

    /// The format.
    public let container: Container
    /// The encryptions in it, each once; empty if nothing is encrypted.
    public let encryptions: [Encryption]
}
