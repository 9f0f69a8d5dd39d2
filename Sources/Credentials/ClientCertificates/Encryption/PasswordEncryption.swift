internal import Secrets

/// An encryption by a passphrase: the AlgorithmIdentifier of PKCS#12 and of encrypted private keys.
///
/// ```
/// SEQUENCE
///   OBJECT IDENTIFIER     PBES2, or one of PKCS#12's own
///   SEQUENCE              of PKCS#12's own: salt and iterations, with the key derivation of RFC 7292 and SHA-1
///     OCTET STRING
///     INTEGER
///   SEQUENCE              of PBES2 (RFC 8018 appendix A.4)
///     SEQUENCE { PBKDF2, SEQUENCE { OCTET STRING salt, INTEGER iterations, INTEGER length?, SEQUENCE { HMAC, NULL }? } }
///     SEQUENCE { cipher, OCTET STRING vector }
/// ```
struct PasswordEncryption {
    private enum Derivation {
        case pkcs12
        case pbkdf2(PasswordHash, vector: [UInt8])
    }

    private let cipher: BlockCipher
    private let derivation: Derivation
    private let salt: [UInt8]
    private let iterations: Int

    /// Reads the next element of `reader`, and takes its cost from `budget`.
    init(
        reading reader: inout BERReader,
        in bytes: Span<UInt8>,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) {
        var algorithm = BERReader(over: try reader.read(BERTag.sequence, in: bytes).contents, of: .encryption)
        let identifier = dottedText(of: try algorithm.readIdentifier(in: bytes))
        var parameters = try algorithm.enter(BERTag.sequence, in: bytes)
        try algorithm.finish()
        if identifier == "1.2.840.113549.1.5.13" {
            self = try Self.pbes2(&parameters, in: bytes, &budget)
            return
        }
        cipher =
            switch identifier {
            case "1.2.840.113549.1.12.1.3": .tripleDES(keys: 3)
            case "1.2.840.113549.1.12.1.4": .tripleDES(keys: 2)
            case "1.2.840.113549.1.12.1.5": .rc2(keyBytes: 16)
            case "1.2.840.113549.1.12.1.6": .rc2(keyBytes: 5)
            default: throw .unsupported(identifier)
            }
        derivation = .pkcs12
        salt = try Self.salt(&parameters, in: bytes)
        // Key and vector; a key of 24 bytes needs two digests.
        iterations = try budget.spend(try parameters.readSmallInteger(in: bytes), rounds: 3)
        try parameters.finish()
        budget.note(form)
    }

    private init(_ cipher: BlockCipher, _ derivation: Derivation, _ salt: [UInt8], _ iterations: Int) {
        self.cipher = cipher
        self.derivation = derivation
        self.salt = salt
        self.iterations = iterations
    }

    private static func pbes2(
        _ parameters: inout BERReader,
        in bytes: Span<UInt8>,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> PasswordEncryption {
        var function = try parameters.enter(BERTag.sequence, in: bytes)
        var scheme = try parameters.enter(BERTag.sequence, in: bytes)
        try parameters.finish()

        let name = dottedText(of: try function.readIdentifier(in: bytes))
        guard name == "1.2.840.113549.1.5.12" else { throw .unsupported(name) }
        var derivation = try function.enter(BERTag.sequence, in: bytes)
        try function.finish()
        let salt = try salt(&derivation, in: bytes)
        let asked = try derivation.readSmallInteger(in: bytes)
        var length: Int?
        if derivation.isNext(BERTag.integer, in: bytes) {
            length = try derivation.readSmallInteger(in: bytes)
            guard length != nil else { throw .malformed(.encryption) }
        }
        var hash = PasswordHash.sha1
        if !derivation.isAtEnd {
            var function = try derivation.enter(BERTag.sequence, in: bytes)
            let identifier = try function.readIdentifier(in: bytes)
            guard let known = PasswordHash(hmac: identifier) else { throw .unsupported(dottedText(of: identifier)) }
            hash = known
            if !function.isAtEnd { _ = try function.read(BERTag.null, in: bytes) }
            try function.finish()
        }
        try derivation.finish()

        let identifier = dottedText(of: try scheme.readIdentifier(in: bytes))
        let cipher: BlockCipher =
            switch identifier {
            case "2.16.840.1.101.3.4.1.2": .aes(keyBytes: 16)
            case "2.16.840.1.101.3.4.1.22": .aes(keyBytes: 24)
            case "2.16.840.1.101.3.4.1.42": .aes(keyBytes: 32)
            case "1.2.840.113549.3.7": .tripleDES(keys: 3)
            default: throw .unsupported(identifier)
            }
        let vector = try scheme.readOctets(in: bytes)
        try scheme.finish()
        guard vector.count == cipher.blockBytes, length.map({ $0 == cipher.keyBytes }) ?? true else {
            throw .malformed(.encryption)
        }
        let iterations = try budget.spend(asked, rounds: rounds(hash))
        let encryption = PasswordEncryption(cipher, .pbkdf2(hash, vector: vector), salt, iterations)
        budget.note(encryption.form)
        return encryption
    }

    /// What a person is shown.
    private var form: IdentityForm.Encryption {
        let (name, isOld): (String, Bool) =
            switch cipher {
            case .aes(let keyBytes): ("AES-\(keyBytes * 8)", false)
            case .tripleDES: ("Triple DES", true)
            case .rc2(let keyBytes): ("RC2-\(keyBytes * 8)", true)
            }
        return switch derivation {
        case .pkcs12: .init(name: "\(name) with the key derivation of PKCS#12", iterations: iterations, isOld: true)
        case .pbkdf2(let hash, _):
            .init(name: "\(name) with PBKDF2 and \(hash.name)", iterations: iterations, isOld: isOld)
        }
    }

    private static func salt(
        _ reader: inout BERReader,
        in bytes: Span<UInt8>
    ) throws(IdentityError.Problem) -> [UInt8] {
        let salt = try reader.readOctets(in: bytes)
        guard (1...IdentityLimits.saltBytes).contains(salt.count) else { throw .malformed(.encryption) }
        return salt
    }

    /// Decrypts; the caller erases the result.
    ///
    /// PBKDF2 takes bytes, and no standard says which: a passphrase beyond ASCII is tried in UTF-8, then in ISO 8859-1.
    ///
    /// - Parameter isRight: whether a plaintext begins as it should; one of 256 wrong ones has a right padding.
    /// - Returns: `nil` if the passphrase or the ciphertext is wrong.
    func decrypt(
        _ ciphertext: [UInt8],
        _ passphrase: Passphrase,
        _ budget: inout WorkBudget,
        accepting isRight: (Span<UInt8>) -> Bool
    ) throws(IdentityError.Problem) -> [UInt8]? {
        func plaintext(_ passphrase: Passphrase) -> [UInt8]? {
            guard var plaintext = decrypt(ciphertext, passphrase) else { return nil }
            if isRight(plaintext.span) { return plaintext }
            erase(&plaintext)
            return nil
        }
        if let found = plaintext(passphrase) { return found }
        guard case .pbkdf2(let hash, _) = derivation, var other = passphrase.encodedAsLatin1() else { return nil }
        defer { other.eraseAll() }
        _ = try budget.spend(iterations, rounds: Self.rounds(hash))
        return plaintext(other)
    }

    /// A key of 32 bytes needs two digests of SHA-1.
    private static func rounds(_ hash: PasswordHash) -> Int { hash == .sha1 ? 2 : 1 }

    /// - Returns: `nil` if the padding is wrong, as after nearly every wrong passphrase.
    private func decrypt(_ ciphertext: [UInt8], _ passphrase: Passphrase) -> [UInt8]? {
        guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: cipher.blockBytes) else { return nil }
        switch derivation {
        case .pbkdf2(let hash, let vector):
            let derived = AESDecryption.pbkdf2(
                passphrase.utf8,
                salt: salt,
                iterations: iterations,
                hash,
                count: cipher.keyBytes
            )
            guard var key = derived else { return nil }
            defer { erase(&key) }
            return cipher.decrypt(ciphertext, key: key, vector: vector)
        case .pkcs12:
            func derive(_ purpose: PKCS12Derivation.Purpose, _ count: Int) -> [UInt8] {
                PKCS12Derivation.bytes(
                    passphrase.utf16,
                    salt: salt,
                    iterations: iterations,
                    .sha1,
                    for: purpose,
                    count: count
                )
            }
            var key = derive(.key, cipher.keyBytes)
            defer { erase(&key) }
            return cipher.decrypt(ciphertext, key: key, vector: derive(.vector, cipher.blockBytes))
        }
    }
}
