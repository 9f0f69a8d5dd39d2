internal import Crypto
internal import OAuth
public import Secrets
internal import WireFormat

/// A private key on the curve P-256 that signs web tokens (RFC 7518 section 3.4): proofs of possession, and assertions of a client.
public struct ES256Key: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Makes a key with the system's random numbers.
    public init() { key = P256.Signing.PrivateKey() }

    /// Reads a key of 32 bytes, such as a store keeps it.
    ///
    /// - Returns: `nil` if the bytes are not a key.
    public init?(_ secret: Secrets.SharedSecret) {
        let key = secret.withBytes { bytes -> P256.Signing.PrivateKey? in
            var copy = bytes.indices.map { bytes[$0] }
            defer { erase(&copy) }
            return try? P256.Signing.PrivateKey(rawRepresentation: copy)
        }
        guard let key else { return nil }
        self.key = key
    }

    /// Reads the PrivateKeyInfo of PKCS#8 (RFC 5208) in DER, such as a file of PEM holds it.
    ///
    /// - Returns: `nil` if the bytes are not a key on P-256.
    public init?(pkcs8 secret: Secrets.SharedSecret) {
        let key = secret.withBytes { bytes -> P256.Signing.PrivateKey? in
            var copy = bytes.indices.map { bytes[$0] }
            defer { erase(&copy) }
            return try? P256.Signing.PrivateKey(derRepresentation: copy)
        }
        guard let key else { return nil }
        self.key = key
    }

    /// The key's 32 bytes, for a store.
    public var secret: Secrets.SharedSecret {
        var bytes = [UInt8](key.rawRepresentation)
        defer { erase(&bytes) }
        return Secrets.SharedSecret(SecretBytes(copying: bytes.span))
    }

    /// The public key as a web key, with its members in the order of RFC 7638 section 3.
    public var publicKey: String {
        let point = [UInt8](key.publicKey.rawRepresentation)
        let (x, y) = (Array(point.prefix(32)), Array(point.suffix(32)))
        return
            #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(x.span))","y":"\#(Base64URL.encode(y.span))"}"#
    }

    /// The name of the public key: the SHA-256 of ``publicKey`` (RFC 7638). A service binds tokens to it.
    public var thumbprint: String { Base64URL.digest(Array(publicKey.utf8).span) }

    /// The compact form of a signed token (RFC 7515 section 7.1).
    ///
    /// - Parameters:
    ///   - header: an object of JSON.
    ///   - payload: an object of JSON.
    func sign(header: String, payload: String) -> String {
        CompactToken.text(header: header, payload: payload) { message in
            // A key on the curve signs every message.
            guard let signature = try? key.signature(for: message) else { preconditionFailure("P-256 signs") }
            return [UInt8](signature.rawRepresentation)
        }
    }
}

extension ES256Key: CustomStringConvertible, CustomReflectable {
    /// The thumbprint.
    public var description: String { "<P-256 key \(thumbprint)>" }

    /// The thumbprint.
    public var customMirror: Mirror { Mirror(self, children: ["thumbprint": thumbprint]) }
}

extension Base64URL {
    /// The SHA-256 of bytes, as web tokens write it.
    static func digest(_ bytes: Span<UInt8>) -> String {
        var digest = SecretDigest(sha256Of: bytes)
        defer { digest.erase() }
        var text = ""
        digest.withBytes { text = encode($0) }
        return text
    }
}
