public import Secrets
internal import WireFormat

/// The proof that the caller of the token endpoint began the authorization (RFC 7636, PKCE), with the method S256.
public struct ProofKey: Sendable {
    /// Goes to the token endpoint: 43 characters that hold 256 random bits.
    public let verifier: SharedSecret
    /// Goes to the authorization endpoint: the SHA-256 of ``verifier``.
    public let challenge: String

    /// Makes a proof of 32 random bytes.
    ///
    /// - Precondition: `random.count == 32`.
    public init(random: Span<UInt8>) {
        precondition(random.count == 32, "RFC 7636 section 4.1 recommends 32 bytes")
        var text = Array(Base64URL.encode(random).utf8)
        defer { erase(&text) }
        challenge = Self.challenge(for: text.span)
        verifier = SharedSecret(SecretBytes(copying: text.span))
    }

    /// Makes a proof with the system's random numbers.
    public static func random() -> ProofKey {
        var bytes = RandomBytes.make(32)
        defer { erase(&bytes) }
        return ProofKey(random: bytes.span)
    }

    /// RFC 7636 section 4.2.
    static func challenge(for verifier: Span<UInt8>) -> String {
        var digest = SecretDigest(sha256Of: verifier)
        defer { digest.erase() }
        var challenge = ""
        digest.withBytes { challenge = Base64URL.encode($0) }
        return challenge
    }
}

/// Base64 for URLs without padding (RFC 4648 section 5).
package enum Base64URL {
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text = ""
        for character in Base64.encode(bytes) {
            switch character {
            case "+": text.append("-")
            case "/": text.append("_")
            case "=": break
            default: text.append(character)
            }
        }
        return text
    }
}

/// Random bytes of the system.
package enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// A text of `count` random bytes in the alphabet of URLs.
    package static func text(_ count: Int) -> String {
        var bytes = make(count)
        defer { erase(&bytes) }
        return Base64URL.encode(bytes.span)
    }
}
