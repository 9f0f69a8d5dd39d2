internal import Secrets
internal import WireFormat

/// H(A1) in hexadecimal digits (RFC 7616 section 3.4.2).
///
/// It can be used like the password for its realm. It lies in memory that is erased with its last owner, and so do the digits.
struct DigestKey: Sendable {
    /// H(user:realm:password).
    private let unbound: SharedSecret
    /// The same, or bound to the first nonce and client nonce of a session algorithm.
    let digits: SharedSecret

    init(_ challenge: DigestChallenge, _ credential: PasswordCredential, clientNonce: String) {
        var plain: [UInt8] = []
        // Room for all from the start: an array that grows leaves a copy of its contents behind.
        plain.reserveCapacity(
            credential.user.utf8.count + challenge.realm.utf8.count + 2 + credential.password.count
        )
        defer { erase(&plain) }
        plain.append(contentsOf: credential.user.utf8)
        plain.append(colon)
        challenge.encoding.append(challenge.realm, to: &plain)
        plain.append(colon)
        credential.password.withBytes { plain.append(copying: $0) }
        self.init(unbound: Self.secretDigits(of: plain.span, challenge), challenge, clientNonce)
    }

    /// The key of another nonce of the same realm, which needs no password.
    func bound(to challenge: DigestChallenge, clientNonce: String) -> DigestKey {
        DigestKey(unbound: unbound, challenge, clientNonce)
    }

    private init(unbound: SharedSecret, _ challenge: DigestChallenge, _ clientNonce: String) {
        self.unbound = unbound
        guard challenge.algorithm.isSession else {
            digits = unbound
            return
        }
        var plain: [UInt8] = []
        plain.reserveCapacity(unbound.count + 2 + challenge.nonce.utf8.count + clientNonce.utf8.count)
        defer { erase(&plain) }
        unbound.withBytes { plain.append(copying: $0) }
        plain.append(colon)
        challenge.encoding.append(challenge.nonce, to: &plain)
        plain.append(colon)
        plain.append(contentsOf: clientNonce.utf8)
        digits = Self.secretDigits(of: plain.span, challenge)
    }

    private static func secretDigits(of message: Span<UInt8>, _ challenge: DigestChallenge) -> SharedSecret {
        var digits = challenge.algorithm.hash.secretDigits(of: message)
        return SharedSecret(SecretBytes(consuming: &digits))
    }
}

/// What separates the parts of A1, A2 and KD.
let colon = UInt8(ascii: ":")
