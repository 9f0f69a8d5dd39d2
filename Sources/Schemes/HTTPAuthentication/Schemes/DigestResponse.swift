internal import Secrets
internal import WireFormat

/// The values of one Digest answer, kept to check the server's proof against them.
struct DigestResponse: Sendable {
    let challenge: DigestChallenge
    let user: String
    let uri: String
    let clientNonce: String
    let nonceCount: UInt32
    /// H(A1) in hexadecimal digits. It can be used like the password for this realm, so it is stored as a secret.
    private let hashedA1: SharedSecret

    init(
        challenge: DigestChallenge,
        credential: PasswordCredential,
        uri: String,
        clientNonce: String,
        nonceCount: UInt32
    ) {
        self.challenge = challenge
        user = credential.user
        self.uri = uri
        self.clientNonce = clientNonce
        self.nonceCount = nonceCount
        hashedA1 = Self.hashedA1(challenge, credential, clientNonce)
    }

    /// RFC 7616 section 3.4.2: H(user:realm:password); with nonce and cnonce for a session algorithm.
    private static func hashedA1(
        _ challenge: DigestChallenge,
        _ credential: PasswordCredential,
        _ clientNonce: String
    ) -> SharedSecret {
        let colon = UInt8(ascii: ":")
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
        var hashed = challenge.algorithm.hexadecimalHash(plain)
        if challenge.algorithm.isSession {
            var bound = [UInt8]("\(hashed):".utf8)
            challenge.encoding.append(challenge.nonce, to: &bound)
            bound.append(contentsOf: ":\(clientNonce)".utf8)
            hashed = challenge.algorithm.hexadecimalHash(bound)
        }
        var bytes = [UInt8](hashed.utf8)
        return SharedSecret(SecretBytes(consuming: &bytes))
    }

    /// The `response` parameter for a request with `method` (section 3.4.1).
    func response(method: String) -> String { keyedHash(a2: "\(method):\(uri)") }

    /// Whether `proof`, the server's `rspauth`, shows that the server knows the password (section 3.5).
    func matches(serverProof proof: String) -> Bool {
        // The method in A2 of the server's proof is empty.
        let expected = [UInt8](keyedHash(a2: ":\(uri)").utf8)
        return constantTimeEqual(expected.span, [UInt8](proof.lowercased().utf8).span)
    }

    /// Eight hexadecimal digits (section 3.4).
    var nonceCountText: String {
        let digits = String(nonceCount, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// KD(H(A1), nonce:nc:cnonce:qop:H(A2)).
    private func keyedHash(a2: String) -> String {
        let hashedA2 = challenge.algorithm.hexadecimalHash(a2)
        let rest =
            challenge.hasQualityOfProtection
            ? ":\(nonceCountText):\(clientNonce):auth:\(hashedA2)" : ":\(hashedA2)"
        var keyed: [UInt8] = []
        keyed.reserveCapacity(hashedA1.count + 1 + challenge.nonce.utf8.count + rest.utf8.count)
        defer { erase(&keyed) }
        hashedA1.withBytes { keyed.append(copying: $0) }
        keyed.append(UInt8(ascii: ":"))
        challenge.encoding.append(challenge.nonce, to: &keyed)
        keyed.append(contentsOf: rest.utf8)
        return challenge.algorithm.hexadecimalHash(keyed)
    }
}
