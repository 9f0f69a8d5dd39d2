internal import CPKCS11
internal import Credentials
internal import Crypto

/// How a card makes a signature (CK_MECHANISM), and what it gets to sign.
struct CardMechanism {
    enum Input {
        /// The whole message, which the card hashes.
        case message
        /// The digest of the message.
        case digest
        /// The digest in a DigestInfo (RFC 8017 section 9.2).
        case digestInfo
    }

    let type: UInt
    let input: Input
    let pss: p11_pss_parameters?

    private init(_ type: UInt, _ input: Input, pss: p11_pss_parameters? = nil) {
        self.type = type
        self.input = input
        self.pss = pss
    }

    /// The first mechanism for an algorithm that a slot has.
    ///
    /// Digests are made here if the card allows it, because a card is slow with long messages.
    init?(for algorithm: SigningAlgorithm, among available: Set<UInt>) {
        let found = Self.candidates(algorithm).first { available.contains($0.type) }
        guard let found else { return nil }
        self = found
    }

    private static func candidates(_ algorithm: SigningAlgorithm) -> [CardMechanism] {
        switch algorithm {
        case .rsaPKCS1SHA256: [CardMechanism(rsa, .digestInfo), CardMechanism(0x40, .message)]
        case .rsaPKCS1SHA384: [CardMechanism(rsa, .digestInfo), CardMechanism(0x41, .message)]
        case .rsaPKCS1SHA512: [CardMechanism(rsa, .digestInfo), CardMechanism(0x42, .message)]
        case .rsaPSSSHA256: pss(p11_pss_parameters(digest: 0x250, mask: 2, salt: 32), whole: 0x43)
        case .rsaPSSSHA384: pss(p11_pss_parameters(digest: 0x260, mask: 3, salt: 48), whole: 0x44)
        case .rsaPSSSHA512: pss(p11_pss_parameters(digest: 0x270, mask: 4, salt: 64), whole: 0x45)
        case .ecdsaP256SHA256: [CardMechanism(ecdsa, .digest), CardMechanism(0x1044, .message)]
        case .ecdsaP384SHA384: [CardMechanism(ecdsa, .digest), CardMechanism(0x1045, .message)]
        case .ecdsaP521SHA512: [CardMechanism(ecdsa, .digest), CardMechanism(0x1046, .message)]
        }
    }

    // CKM_RSA_PKCS, CKM_RSA_PKCS_PSS, CKM_ECDSA.
    private static let rsa: UInt = 0x1
    private static let rsaPSS: UInt = 0xD
    private static let ecdsa: UInt = 0x1041

    private static func pss(_ parameters: p11_pss_parameters, whole: UInt) -> [CardMechanism] {
        [CardMechanism(rsaPSS, .digest, pss: parameters), CardMechanism(whole, .message, pss: parameters)]
    }

    /// What the card gets to sign.
    func prepare(_ message: [UInt8], _ algorithm: SigningAlgorithm) -> [UInt8] {
        switch input {
        case .message: message
        case .digest: algorithm.digest(of: message)
        case .digestInfo: algorithm.digestInfoPrefix + algorithm.digest(of: message)
        }
    }
}

extension SigningAlgorithm {
    private enum Hash { case sha256, sha384, sha512 }

    private var hash: Hash {
        switch self {
        case .rsaPKCS1SHA256, .rsaPSSSHA256, .ecdsaP256SHA256: .sha256
        case .rsaPKCS1SHA384, .rsaPSSSHA384, .ecdsaP384SHA384: .sha384
        case .rsaPKCS1SHA512, .rsaPSSSHA512, .ecdsaP521SHA512: .sha512
        }
    }

    func digest(of message: [UInt8]) -> [UInt8] {
        switch hash {
        case .sha256: Array(SHA256.hash(data: message))
        case .sha384: Array(SHA384.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        }
    }

    /// The DER before the digest in a DigestInfo (RFC 8017 section 9.2, note 1).
    fileprivate var digestInfoPrefix: [UInt8] {
        let (identifier, length): (UInt8, UInt8) =
            switch hash {
            case .sha256: (1, 32)
            case .sha384: (2, 48)
            case .sha512: (3, 64)
            }
        // SEQUENCE { SEQUENCE { 2.16.840.1.101.3.4.2.identifier, NULL }, OCTET STRING }.
        return [0x30, 17 + length, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, identifier]
            + [0x05, 0x00, 0x04, length]
    }
}
