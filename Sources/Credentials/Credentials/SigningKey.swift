/// A private key that signs and that no program can read, such as the key of a smart card, an HSM or an agent.
///
/// Its signatures are the proof of a client certificate in TLS. Conform a type of your own to use a key that this library does
/// not know.
public protocol SigningKey: Sendable {
    /// The public key in the form that certificates contain: SubjectPublicKeyInfo in DER (RFC 5280 section 4.1).
    var publicKeyInfo: [UInt8] { get }
    /// The algorithms that the key can use, the preferred one first; at least one.
    var algorithms: [SigningAlgorithm] { get }

    /// Signs a message.
    ///
    /// TLS calls it once for each handshake, on a task that is cancelled if the connection ends. It must not block the thread,
    /// because the threads of tasks are few: wait on a thread of your own.
    ///
    /// - Parameters:
    ///   - message: the whole message, which the key or this function still has to hash.
    ///   - algorithm: one of ``algorithms``.
    /// - Returns: the signature as TLS sends it: for RSA as many bytes as the modulus, for ECDSA the sequence of two integers
    ///   in DER (RFC 3279 section 2.2.3).
    /// - Throws: an error whose description is one line without secrets: the place, the problem and the remedy.
    func sign(_ message: [UInt8], with algorithm: SigningAlgorithm) async throws -> [UInt8]
}

/// An algorithm with which TLS 1.2 and 1.3 sign; the raw value is its number there (RFC 8446 section 4.2.3).
public enum SigningAlgorithm: UInt16, CaseIterable, Hashable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256; TLS 1.2 only.
    case rsaPKCS1SHA256 = 0x0401
    /// RSASSA-PKCS1-v1_5 with SHA-384; TLS 1.2 only.
    case rsaPKCS1SHA384 = 0x0501
    /// RSASSA-PKCS1-v1_5 with SHA-512; TLS 1.2 only.
    case rsaPKCS1SHA512 = 0x0601
    /// ECDSA on P-256 with SHA-256.
    case ecdsaP256SHA256 = 0x0403
    /// ECDSA on P-384 with SHA-384.
    case ecdsaP384SHA384 = 0x0503
    /// ECDSA on P-521 with SHA-512.
    case ecdsaP521SHA512 = 0x0603
    /// RSASSA-PSS with SHA-256, a mask by MGF1 with SHA-256, and a salt of 32 bytes.
    case rsaPSSSHA256 = 0x0804
    /// RSASSA-PSS with SHA-384, a mask by MGF1 with SHA-384, and a salt of 48 bytes.
    case rsaPSSSHA384 = 0x0805
    /// RSASSA-PSS with SHA-512, a mask by MGF1 with SHA-512, and a salt of 64 bytes.
    case rsaPSSSHA512 = 0x0806
}
