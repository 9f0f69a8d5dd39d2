internal import ClientCertificates
internal import Credentials
internal import Crypto
internal import CryptoExtras

/// The public key of a certificate: it says which algorithms fit, and checks what a card signed.
enum PublicKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)

    /// Reads SubjectPublicKeyInfo in DER; `nil` for kinds and sizes that are not supported.
    init?(_ info: [UInt8]) {
        if let key = try? P256.Signing.PublicKey(derRepresentation: info) {
            self = .p256(key)
        } else if let key = try? P384.Signing.PublicKey(derRepresentation: info) {
            self = .p384(key)
        } else if let key = try? P521.Signing.PublicKey(derRepresentation: info) {
            self = .p521(key)
        } else if let key = try? _RSA.Signing.PublicKey(derRepresentation: info),
            (2_048...8_192).contains(key.keySizeInBits)
        {
            self = .rsa(key)
        } else {
            return nil
        }
    }

    var kind: IdentityKey.Kind {
        switch self {
        case .rsa(let key): .rsa(bits: key.keySizeInBits)
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        }
    }

    /// The type of the private key (CK_KEY_TYPE): CKK_RSA or CKK_EC.
    var keyType: UInt {
        switch self {
        case .rsa: 0
        case .p256, .p384, .p521: 3
        }
    }

    /// The algorithms of TLS that fit the key.
    var algorithms: [SigningAlgorithm] {
        switch self {
        case .rsa:
            [.rsaPSSSHA256, .rsaPKCS1SHA256, .rsaPSSSHA384, .rsaPKCS1SHA384, .rsaPSSSHA512, .rsaPKCS1SHA512]
        case .p256: [.ecdsaP256SHA256]
        case .p384: [.ecdsaP384SHA384]
        case .p521: [.ecdsaP521SHA512]
        }
    }

    /// The signature of a card in the form of TLS, if it is one of this key.
    ///
    /// - Parameters:
    ///   - raw: as PKCS #11 gives it: for ECDSA the two numbers one after the other, each as long as the field.
    ///   - message: what was signed.
    ///   - algorithm: one of ``algorithms``.
    func checked(_ raw: [UInt8], of message: [UInt8], _ algorithm: SigningAlgorithm) -> [UInt8]? {
        switch (self, algorithm) {
        case (.p256(let key), .ecdsaP256SHA256):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: SHA256.hash(data: message))
            else { return nil }
            return Array(signature.derRepresentation)
        case (.p384(let key), .ecdsaP384SHA384):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: SHA384.hash(data: message))
            else { return nil }
            return Array(signature.derRepresentation)
        case (.p521(let key), .ecdsaP521SHA512):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw),
                key.isValidSignature(signature, for: SHA512.hash(data: message))
            else { return nil }
            return Array(signature.derRepresentation)
        case (.rsa(let key), .rsaPKCS1SHA256): return valid(key, raw, SHA256.hash(data: message), .insecurePKCS1v1_5)
        case (.rsa(let key), .rsaPKCS1SHA384): return valid(key, raw, SHA384.hash(data: message), .insecurePKCS1v1_5)
        case (.rsa(let key), .rsaPKCS1SHA512): return valid(key, raw, SHA512.hash(data: message), .insecurePKCS1v1_5)
        case (.rsa(let key), .rsaPSSSHA256): return valid(key, raw, SHA256.hash(data: message), .PSS)
        case (.rsa(let key), .rsaPSSSHA384): return valid(key, raw, SHA384.hash(data: message), .PSS)
        case (.rsa(let key), .rsaPSSSHA512): return valid(key, raw, SHA512.hash(data: message), .PSS)
        default: return nil
        }
    }

    private func valid(
        _ key: _RSA.Signing.PublicKey,
        _ raw: [UInt8],
        _ digest: some Digest,
        _ padding: _RSA.Signing.Padding
    ) -> [UInt8]? {
        // RFC 8017 section 8: a signature has as many bytes as the modulus.
        guard raw.count == (key.keySizeInBits + 7) / 8 else { return nil }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: raw)
        return key.isValidSignature(signature, for: digest, padding: padding) ? raw : nil
    }
}
