internal import Secrets
internal import WireFormat

/// The private key in a file of DER: what `openssl … -outform DER` writes.
enum DERKey: Equatable {
    /// PrivateKeyInfo (RFC 5208 section 5).
    case pkcs8
    /// EncryptedPrivateKeyInfo (RFC 5208 section 6).
    case encrypted
    /// RSAPrivateKey (RFC 8017 appendix A.1.2).
    case pkcs1
    /// ECPrivateKey (RFC 5915 section 3).
    case sec1

    /// The form of the key in `bytes`, by the first elements; `nil` for anything else.
    ///
    /// ```
    /// SEQUENCE ─┬ INTEGER ──┬ SEQUENCE       PKCS#8, with the version 0 or 1
    ///           │           ├ INTEGER        PKCS#1
    ///           │           └ OCTET STRING   SEC 1
    ///           └ SEQUENCE ── OCTET STRING   encrypted PKCS#8
    /// ```
    init?(of bytes: Span<UInt8>) {
        var whole = BERReader(over: 0..<bytes.count, of: .key)
        guard var fields = try? whole.enter(BERTag.sequence, in: bytes), whole.isAtEnd else { return nil }
        if fields.isNext(BERTag.sequence, in: bytes) {
            guard (try? fields.read(in: bytes)) != nil, fields.isNext(BERTag.octetString, in: bytes) else {
                return nil
            }
            self = .encrypted
            return
        }
        guard let version = try? fields.readSmallInteger(in: bytes) else { return nil }
        if fields.isNext(BERTag.sequence, in: bytes), version <= 1 {
            self = .pkcs8
        } else if fields.isNext(BERTag.integer, in: bytes) {
            self = .pkcs1
        } else if fields.isNext(BERTag.octetString, in: bytes) {
            self = .sec1
        } else {
            return nil
        }
    }

    /// The key of this form in `bytes`.
    func key(
        in bytes: Span<UInt8>,
        passphrase: SharedSecret?,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> IdentityKey {
        switch self {
        case .pkcs8: return try IdentityKey(pkcs8: bytes)
        case .pkcs1: return try IdentityKey(pkcs1: bytes)
        case .sec1: return try IdentityKey(sec1: bytes)
        case .encrypted:
            guard let passphrase else { throw .passphraseNeeded }
            var text = try Passphrase(passphrase)
            defer { text.eraseAll() }
            guard let key = try IdentityKey.decrypt(bytes, in: 0..<bytes.count, text, &budget) else {
                throw .wrongPassphrase
            }
            return key
        }
    }
}
