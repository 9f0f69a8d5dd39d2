internal import Crypto
internal import Secrets
internal import WireFormat

/// What a PKCS#12 file holds (RFC 7292): keys and certificates.
///
/// ```
/// SEQUENCE                                    PFX
///   INTEGER                                   3
///   SEQUENCE { data, [0] { OCTET STRING } }   the safes, which the integrity code covers
///   SEQUENCE                                  MacData
///     SEQUENCE { SEQUENCE { hash }, OCTET STRING code }
///     OCTET STRING                            salt
///     INTEGER                                 iterations; 1 if absent
/// ```
///
/// The file is read here down to the keys, because NIOSSL's reader ends the process if a file has no key or no certificate. The
/// keys and certificates that are found have readers of their own, which throw.
struct PKCS12File {
    /// The private keys, with the names that the file has for them.
    private(set) var keys: [NamedKey] = []
    /// The certificates in DER, in the order of the file.
    private(set) var certificates: [[UInt8]] = []

    /// The encryptions that the file names.
    var encryptions: [IdentityForm.Encryption] { budget.encryptions }

    private var passphrase: Passphrase
    private var budget: WorkBudget

    /// Reads a whole file.
    ///
    /// - Complexity: O(*n*), and as many iterations as the file asks for within `budget`.
    init(
        parsing bytes: Span<UInt8>,
        passphrase secret: Secrets.SharedSecret?,
        budget: WorkBudget = WorkBudget()
    ) throws(IdentityError.Problem) {
        guard bytes.count <= IdentityLimits.fileBytes else { throw .tooLarge }
        var whole = BERReader(over: 0..<bytes.count, of: .file)
        guard Self.isPKCS12(bytes) else { throw .notPKCS12 }
        var fields = try whole.enter(BERTag.sequence, in: bytes)
        try whole.finish()
        _ = try fields.readSmallInteger(in: bytes)
        var authenticated = try fields.enter(BERTag.sequence, in: bytes)
        let type = dottedText(of: try authenticated.readIdentifier(in: bytes))
        guard type == ContentType.data else { throw .unsupported(type) }
        var wrapped = try authenticated.enter(BERTag.context0, in: bytes)
        try authenticated.finish()
        var safes = try wrapped.readOctets(in: bytes)
        // Secret if a key is not encrypted.
        defer { erase(&safes) }
        try wrapped.finish()
        guard !fields.isAtEnd else { throw .noIntegrityCode }
        let code = try IntegrityCode(reading: &fields, in: bytes)
        try fields.finish()

        self.budget = budget
        passphrase = .none
        passphrase = try Self.passphrase(secret, matching: code, over: safes, &self.budget)
        defer { passphrase.eraseAll() }
        try readSafes(safes.span)
    }

    /// Whether the bytes begin as PKCS#12 does: a sequence whose first element is the number 3.
    static func isPKCS12(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2, bytes[0] == BERTag.sequence else { return false }
        // After the tag: one byte of length, or the number of bytes of the length.
        let start = bytes[1] > 0x80 ? 2 + Int(bytes[1] & 0x7F) : 2
        return bytes.count >= start + 3 && bytes[start] == BERTag.integer && bytes[start + 1] == 1
            && bytes[start + 2] == 3
    }

    private static func passphrase(
        _ secret: Secrets.SharedSecret?,
        matching code: IntegrityCode,
        over safes: [UInt8],
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> Passphrase {
        guard let secret, secret.count > 0 else {
            for candidate in [Passphrase.empty, .none] where try code.matches(safes, candidate, &budget) {
                return candidate
            }
            throw secret == nil ? .passphraseNeeded : .wrongPassphrase
        }
        var passphrase = try Passphrase(secret)
        do throws(IdentityError.Problem) {
            if try code.matches(safes, passphrase, &budget) { return passphrase }
            if var other = passphrase.encodedBytewise() {
                var isRight = false
                defer { if !isRight { other.eraseAll() } }
                isRight = try code.matches(safes, other, &budget)
                if isRight {
                    passphrase.eraseAll()
                    return other
                }
            }
            throw .wrongPassphrase
        } catch {
            passphrase.eraseAll()
            throw error
        }
    }

    // MARK: - Safes

    private mutating func readSafes(_ bytes: Span<UInt8>) throws(IdentityError.Problem) {
        var whole = BERReader(over: 0..<bytes.count, of: .contents)
        var safes = try whole.enter(BERTag.sequence, in: bytes)
        try whole.finish()
        while !safes.isAtEnd {
            var safe = try safes.enter(BERTag.sequence, in: bytes)
            let type = dottedText(of: try safe.readIdentifier(in: bytes))
            var wrapped = try safe.enter(BERTag.context0, in: bytes)
            try safe.finish()
            var contents: [UInt8]
            switch type {
            case ContentType.data: contents = try wrapped.readOctets(in: bytes)
            case ContentType.encryptedData: contents = try decrypted(&wrapped, in: bytes)
            default: throw .unsupported(type)
            }
            defer { erase(&contents) }
            try wrapped.finish()
            let span = contents.span
            var bags = BERReader(over: 0..<span.count, of: .contents)
            let list = try bags.enter(BERTag.sequence, in: span)
            try bags.finish()
            try readBags(list, in: span, depth: 0)
        }
    }

    /// Decrypts an EncryptedData (RFC 2315 section 13).
    ///
    /// ```
    /// SEQUENCE { INTEGER, SEQUENCE { data, AlgorithmIdentifier, [0] OCTET STRING }, attributes? }
    /// ```
    private mutating func decrypted(
        _ reader: inout BERReader,
        in bytes: Span<UInt8>
    ) throws(IdentityError.Problem) -> [UInt8] {
        var fields = try reader.enter(BERTag.sequence, in: bytes)
        _ = try fields.readSmallInteger(in: bytes)
        var content = try fields.enter(BERTag.sequence, in: bytes)
        let type = dottedText(of: try content.readIdentifier(in: bytes))
        guard type == ContentType.data else { throw .unsupported(type) }
        let encryption = try PasswordEncryption(reading: &content, in: bytes, &budget)
        let ciphertext = try content.readOctets(BERTag.implicit0, in: bytes)
        try content.finish()
        // The passphrase is that of the integrity code, so a wrong plaintext is not its fault.
        let contents = try encryption.decrypt(ciphertext, passphrase, &budget) { bytes in
            var whole = BERReader(over: 0..<bytes.count, of: .contents)
            return (try? whole.read(BERTag.sequence, in: bytes)) != nil && whole.isAtEnd
        }
        guard let contents else { throw .malformed(.ciphertext) }
        return contents
    }

    // MARK: - Bags

    /// Reads bags: a SEQUENCE of an identifier, [0] with the value, and a SET of attributes. Of these only the name is read, because
    /// the key itself shows to which certificate it belongs.
    private mutating func readBags(
        _ reader: BERReader,
        in bytes: Span<UInt8>,
        depth: Int
    ) throws(IdentityError.Problem) {
        var reader = reader
        while !reader.isAtEnd {
            var bag = BERReader(over: try reader.read(BERTag.sequence, in: bytes).contents, of: .bag)
            let type = dottedText(of: try bag.readIdentifier(in: bytes))
            let value = try bag.read(BERTag.context0, in: bytes).contents
            let attributes = bag.isAtEnd ? nil : try bag.read(BERTag.set, in: bytes).contents
            try bag.finish()
            switch type {
            case BagType.key:
                try checkNumberOfKeys()
                let key = try IdentityKey(pkcs8: bytes.extracting(value))
                keys.append(NamedKey(key: key, name: Self.friendlyName(attributes, in: bytes)))
            case BagType.encryptedKey:
                try checkNumberOfKeys()
                guard let key = try IdentityKey.decrypt(bytes, in: value, passphrase, &budget) else {
                    throw .malformed(.ciphertext)
                }
                keys.append(NamedKey(key: key, name: Self.friendlyName(attributes, in: bytes)))
            case BagType.certificate: try readCertificate(BERReader(over: value, of: .bag), in: bytes)
            case BagType.safe:
                guard depth < IdentityLimits.safes else { throw .malformed(.contents) }
                var nested = BERReader(over: value, of: .contents)
                let list = try nested.enter(BERTag.sequence, in: bytes)
                try nested.finish()
                try readBags(list, in: bytes, depth: depth + 1)
            // Revocation lists, secrets and others.
            default: break
            }
        }
    }

    /// The friendlyName among attributes: SEQUENCE { identifier, SET { BMPString } } (RFC 2985 section 5.5.1); `nil` without one that can
    /// be read.
    private static func friendlyName(_ attributes: Range<Int>?, in bytes: Span<UInt8>) -> String? {
        guard let attributes else { return nil }
        var reader = BERReader(over: attributes, of: .bag)
        while !reader.isAtEnd {
            guard var attribute = try? reader.enter(BERTag.sequence, in: bytes),
                let identifier = try? attribute.readIdentifier(in: bytes)
            else { return nil }
            guard dottedText(of: identifier) == BagType.friendlyName else { continue }
            guard var values = try? attribute.enter(BERTag.set, in: bytes),
                let contents = try? values.read(BERTag.bmpString, in: bytes).contents,
                contents.count.isMultiple(of: 2), contents.count <= 2 * IdentityLimits.nameCharacters
            else { return nil }
            let units = stride(from: contents.lowerBound, to: contents.upperBound, by: 2).map { place in
                UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
            }
            return units.isEmpty ? nil : String(decoding: units, as: UTF16.self)
        }
        return nil
    }

    private func checkNumberOfKeys() throws(IdentityError.Problem) {
        guard keys.count < IdentityLimits.keys else { throw .tooManyKeys }
    }

    /// Reads a CertBag: a SEQUENCE of an identifier and [0] with an OCTET STRING.
    private mutating func readCertificate(
        _ reader: BERReader,
        in bytes: Span<UInt8>
    ) throws(IdentityError.Problem) {
        var reader = reader
        var fields = try reader.enter(BERTag.sequence, in: bytes)
        try reader.finish()
        let type = dottedText(of: try fields.readIdentifier(in: bytes))
        var wrapped = try fields.enter(BERTag.context0, in: bytes)
        try fields.finish()
        guard type == BagType.x509Certificate else { return }
        guard certificates.count < IdentityLimits.certificates else { throw .tooManyCertificates }
        certificates.append(try wrapped.readOctets(in: bytes))
        try wrapped.finish()
    }

    /// RFC 2315 section 14.
    private enum ContentType {
        static let data = "1.2.840.113549.1.7.1"
        static let encryptedData = "1.2.840.113549.1.7.6"
    }

    /// RFC 7292 appendix D.
    private enum BagType {
        static let key = "1.2.840.113549.1.12.10.1.1"
        static let encryptedKey = "1.2.840.113549.1.12.10.1.2"
        static let certificate = "1.2.840.113549.1.12.10.1.3"
        static let safe = "1.2.840.113549.1.12.10.1.6"
        static let x509Certificate = "1.2.840.113549.1.9.22.1"
        static let friendlyName = "1.2.840.113549.1.9.20"
    }
}
