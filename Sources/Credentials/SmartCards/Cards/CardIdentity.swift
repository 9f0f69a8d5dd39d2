public import ClientCertificates
public import Credentials

/// What of a card fits a URI.
public struct CardContents: Sendable {
    /// The keys with their certificates. An identity's name is the label of its key.
    public let identities: [CardIdentity]
    /// Why other keys and certificates that fit were left out.
    public let unusable: [SmartCardError]
}

/// A client identity whose key is on a card.
public struct CardIdentity: Sendable {
    /// The name and the certificates, the key's own first, then those of its issuers that are on the card.
    public let identity: ClientIdentity
    /// The private key.
    public let key: CardKey
    /// The identifier that the key and its certificate share (CKA_ID).
    public let id: [UInt8]
    /// The first second in which the key's certificate is valid, counted from 1970-01-01T00:00:00Z.
    public let notBefore: Int64
    /// The last second in which it is valid.
    public let notAfter: Int64

    init(_ found: FoundKey, name: String, _ card: SmartCard) {
        identity = ClientIdentity(name: name, certificateChain: found.chain.certificates)
        key = CardKey(found, card)
        id = found.reference.id
        notBefore = found.chain.notBefore
        notAfter = found.chain.notAfter
    }
}

extension CardIdentity: CustomStringConvertible {
    /// The name of the identity.
    public var description: String { identity.description }
}

/// A private key on a card. It keeps the card open.
public struct CardKey: SigningKey {
    /// The kind of the key.
    public let kind: IdentityKey.Kind
    /// The public key of the certificate: SubjectPublicKeyInfo in DER.
    public let publicKeyInfo: [UInt8]
    /// The algorithms of TLS that fit the key and that the card has.
    public let algorithms: [SigningAlgorithm]
    private let reference: KeyReference
    private let publicKey: PublicKey
    private let card: SmartCard

    init(_ found: FoundKey, _ card: SmartCard) {
        kind = found.publicKey.kind
        publicKeyInfo = found.publicKeyInfo
        algorithms = found.algorithms
        reference = found.reference
        publicKey = found.publicKey
        self.card = card
    }

    /// Signs on the thread of the card.
    ///
    /// If the card was away, its session is opened and the PIN given once more, because that PIN was right before.
    ///
    /// - Throws: ``SmartCardError``, or `CancellationError` if the task is cancelled. The card may still finish the signature then,
    ///   which is dropped.
    public func sign(_ message: [UInt8], with algorithm: SigningAlgorithm) async throws -> [UInt8] {
        try await card.sign(message, reference, publicKey, algorithm)
    }
}

extension CardKey: CustomStringConvertible {
    /// The kind of the key and the name of its card.
    public var description: String { "private key (\(kind)) on the card '\(card.info.label)'" }
}
