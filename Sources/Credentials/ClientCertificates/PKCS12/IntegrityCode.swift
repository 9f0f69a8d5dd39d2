internal import Crypto
internal import Secrets

/// The authentication code of a PKCS#12 file (RFC 7292 section 4, MacData). It shows whether the passphrase is right.
struct IntegrityCode {
    private let hash: PasswordHash
    private let code: [UInt8]
    private let salt: [UInt8]
    private let iterations: Int?

    init(reading reader: inout BERReader, in bytes: Span<UInt8>) throws(IdentityError.Problem) {
        var fields = BERReader(over: try reader.read(BERTag.sequence, in: bytes).contents, of: .integrityCode)
        var digest = try fields.enter(BERTag.sequence, in: bytes)
        var algorithm = try digest.enter(BERTag.sequence, in: bytes)
        let identifier = try algorithm.readIdentifier(in: bytes)
        guard let hash = PasswordHash(digest: identifier) else { throw .unsupported(dottedText(of: identifier)) }
        if !algorithm.isAtEnd { _ = try algorithm.read(BERTag.null, in: bytes) }
        try algorithm.finish()
        self.hash = hash
        code = try digest.readOctets(in: bytes)
        try digest.finish()
        salt = try fields.readOctets(in: bytes)
        guard salt.count <= IdentityLimits.saltBytes else { throw .malformed(.integrityCode) }
        iterations = fields.isAtEnd ? 1 : try fields.readSmallInteger(in: bytes)
        try fields.finish()
    }

    /// Whether the code is that of `contents` under `passphrase`.
    func matches(
        _ contents: [UInt8],
        _ passphrase: Passphrase,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> Bool {
        _ = try budget.spend(iterations)
        guard let expected = code(of: contents, passphrase) else { throw .tooCostly }
        return constantTimeEqual(code.span, expected.span)
    }

    /// The code of `contents` under `passphrase`; `nil` if the iterations are not a positive number of 31 bits.
    func code(of contents: [UInt8], _ passphrase: Passphrase) -> [UInt8]? {
        guard let iterations, iterations > 0 else { return nil }
        return switch hash {
        case .sha1: code(of: contents, passphrase, iterations, Insecure.SHA1.self)
        case .sha256: code(of: contents, passphrase, iterations, SHA256.self)
        case .sha384: code(of: contents, passphrase, iterations, SHA384.self)
        case .sha512: code(of: contents, passphrase, iterations, SHA512.self)
        }
    }

    private func code<Hash: HashFunction>(
        of contents: [UInt8],
        _ passphrase: Passphrase,
        _ iterations: Int,
        _: Hash.Type
    ) -> [UInt8] {
        var key = PKCS12Derivation.bytes(
            passphrase.utf16,
            salt: salt,
            iterations: iterations,
            hash,
            for: .integrity,
            count: Hash.Digest.byteCount
        )
        defer { erase(&key) }
        return Array(HMAC<Hash>.authenticationCode(for: contents, using: SymmetricKey(data: key)))
    }
}
