public import ClientCertificates
public import Credentials

/// What of a token fits a URI.
public struct TokenContents: Sendable {
    /// The keys with their certificates. An identity's name is the label of its key.
    public let identities: [TokenIdentity]
    /// Why other keys and certificates that fit were left out.
    public let unusable: [TokenError]
}

/// A client identity whose key is on a token.
public struct TokenIdentity: Sendable {
    /// The name and the certificates, the key's own first, then those of its issuers that are on the token.
    public let identity: ClientIdentity
    /// The private key.
    public let key: TokenKey
    /// The identifier that the key and its certificate share (CKA_ID).
    public let id: [UInt8]
    /// The first second in which the key's certificate is valid, counted from 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The last second in which it is valid.
    public let notAfter: Int64

    init(_ found: FoundKey, name: String, _ token: Token) {
        identity = ClientIdentity(name: name, certificateChain: found.chain.certificates)
        key = TokenKey(found, token)
        id = found.reference.id
        notBefore = found.chain.notBefore
        notAfter = found.chain.notAfter
    }
}

extension TokenIdentity: CustomStringConvertible {
    /// The name of the identity.
    public var description: String { identity.description }
}

/// A private key on a token. It keeps the token open.
public struct TokenKey: SigningKey {
    /// The kind of the key.
    public let kind: IdentityKey.Kind
    /// The public key of the certificate: SubjectPublicKeyInfo in DER.
    public let publicKeyInfo: [UInt8]
    /// The algorithms of TLS that fit the key and that the token has.
    public let algorithms: [SigningAlgorithm]
    private let reference: KeyReference
    private let publicKey: PublicKey
    private let token: Token

    init(_ found: FoundKey, _ token: Token) {
        kind = found.publicKey.kind
        publicKeyInfo = found.publicKeyInfo
        algorithms = found.algorithms
        reference = found.reference
        publicKey = found.publicKey
        self.token = token
    }

    /// Signs on the thread of the token.
    ///
    /// If the token was away, its session is opened and the PIN given once more, because that PIN was right before.
    ///
    /// - Throws: ``TokenError``, or `CancellationError` if the task is cancelled. The token may still finish the signature then,
    ///   which is dropped.
    public func sign(_ message: [UInt8], with algorithm: SigningAlgorithm) async throws -> [UInt8] {
        try await token.sign(message, reference, publicKey, algorithm)
    }
}

extension TokenKey: CustomStringConvertible {
    /// The kind of the key and the name of its token.
    public var description: String { "private key (\(kind)) on the token '\(token.info.label)'" }
}
