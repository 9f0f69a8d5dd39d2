internal import Crypto
internal import CryptoExtras
public import Secrets

/// An RSA private key that signs assertions of a client.
public struct RSATokenKey: Sendable {
    /// How it signs (RFC 7518 section 3.1).
    public enum Algorithm: String, CaseIterable, Sendable {
        /// RSASSA-PKCS1-v1_5 with SHA-256 (section 3.3), which every service takes.
        case rs256 = "RS256"
        /// RSASSA-PSS with SHA-256 (section 3.5).
        case ps256 = "PS256"

        fileprivate var padding: _RSA.Signing.Padding {
            switch self {
            case .rs256: .insecurePKCS1v1_5
            case .ps256: .PSS
            }
        }
    }

    private let key: _RSA.Signing.PrivateKey
    /// How it signs.
    public let algorithm: Algorithm

    /// Reads the PrivateKeyInfo of PKCS#8 (RFC 5208) in DER, such as a file of PEM holds it.
    ///
    /// - Returns: `nil` if the bytes are not an RSA key of 2,048 bits or more that signs.
    public init?(pkcs8 secret: Secrets.SharedSecret, algorithm: Algorithm = .rs256) {
        let key = secret.withBytes { bytes -> _RSA.Signing.PrivateKey? in
            var copy = bytes.indices.map { bytes[$0] }
            defer { erase(&copy) }
            return try? _RSA.Signing.PrivateKey(derRepresentation: copy)
        }
        // Numbers that do not belong together are noticed by the first signature.
        guard let key, (try? key.signature(for: SHA256.hash(data: [UInt8]()), padding: .PSS)) != nil else { return nil }
        (self.key, self.algorithm) = (key, algorithm)
    }

    /// The compact form of a signed token (RFC 7515 section 7.1).
    func sign(header: String, payload: String) -> String {
        CompactToken.text(header: header, payload: payload) { message in
            // The key has signed before.
            guard let signature = try? key.signature(for: SHA256.hash(data: message), padding: algorithm.padding)
            else { preconditionFailure("RSA signs") }
            return [UInt8](signature.rawRepresentation)
        }
    }
}

extension RSATokenKey: CustomStringConvertible, CustomReflectable {
    /// The size and the algorithm.
    public var description: String { "<RSA key of \(key.keySizeInBits) bits for \(algorithm.rawValue)>" }

    /// The size and the algorithm.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["bits": key.keySizeInBits, "algorithm": algorithm.rawValue] as KeyValuePairs<String, Any>
        )
    }
}
