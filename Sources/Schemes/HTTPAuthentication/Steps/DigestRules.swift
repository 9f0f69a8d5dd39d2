/// What the caller of a Digest exchange accepts from the party.
public struct DigestRules: Equatable, Sendable {
    /// The strength of an algorithm. SHA-256 and SHA-512-256 are equal, so between them the server's order counts.
    public enum Strength: Comparable, Sendable {
        /// MD5 and MD5-sess.
        case md5
        /// SHA-256, SHA-512-256 and their session forms.
        case sha2
    }

    /// Whether a challenge without `qop` is answered, in the form of RFC 2069.
    ///
    /// Off by default, because such an answer has neither a client nonce nor a counter: it can be replayed, and the server
    /// chooses all of the text that is hashed with the password.
    public var allowsMissingQop: Bool
    /// Whether a response without the server's proof (`rspauth`) is a failure.
    ///
    /// With `qop=auth-int` the proof covers the body of the response, so it fails unless the caller passes that body.
    /// `ChallengeHandler` does not read bodies: with this rule it accepts no response of a party that offers only `auth-int`.
    public var demandsServerProof: Bool
    /// The weakest algorithm that is answered.
    public var weakest: Strength

    /// The rules of an account; without arguments the default ones.
    public init(allowsMissingQop: Bool = false, demandsServerProof: Bool = false, weakest: Strength = .md5) {
        self.allowsMissingQop = allowsMissingQop
        self.demandsServerProof = demandsServerProof
        self.weakest = weakest
    }
}

/// The bounds on Digest.
public enum DigestLimits {
    /// Answers with one nonce: `nc` has eight hexadecimal digits (RFC 7616 section 3.4).
    public static let answersPerNonce = UInt32.max
    /// Times that one request is answered again because its nonce was stale.
    public static let staleNonces = 1
    /// Nonces in a row that a party may call stale before a session ends.
    public static let staleNoncesOfSession = 8
    /// Nonces in a row that a party may lose without calling them stale. After that its nonces do not outlive a request, as where
    /// several servers have one name, and each request begins with a challenge.
    public static let lostNonces = 2
    /// Entries of `domain` that are read. Requests below further entries wait for a challenge.
    public static let domainEntries = 64
}
