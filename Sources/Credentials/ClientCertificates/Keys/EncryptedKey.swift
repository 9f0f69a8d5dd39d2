internal import Secrets

extension IdentityKey {
    /// Reads an EncryptedPrivateKeyInfo (RFC 5208 section 6).
    ///
    /// - Returns: `nil` if the passphrase is wrong, or if the ciphertext was changed: nothing tells the two apart.
    static func decrypt(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        _ passphrase: Passphrase,
        _ budget: inout WorkBudget
    ) throws(IdentityError.Problem) -> IdentityKey? {
        var whole = BERReader(over: range, of: .encryption)
        var fields = try whole.enter(BERTag.sequence, in: bytes)
        try whole.finish()
        let encryption = try PasswordEncryption(reading: &fields, in: bytes, &budget)
        let ciphertext = try fields.readOctets(in: bytes)
        try fields.finish()
        // A key that is too long is refused before it is decrypted; a padding has at most 16 bytes.
        guard ciphertext.count <= IdentityLimits.keyBytes + 16 else { throw .unreadableKey }
        let found = try encryption.decrypt(ciphertext, passphrase, &budget, accepting: isKey)
        guard var plaintext = found else { return nil }
        defer { erase(&plaintext) }
        return try IdentityKey(pkcs8: plaintext.span)
    }

    private static func isKey(_ bytes: Span<UInt8>) -> Bool {
        var whole = BERReader(over: 0..<bytes.count, of: .key)
        guard var fields = try? whole.enter(BERTag.sequence, in: bytes), whole.isAtEnd,
            let version = try? fields.readSmallInteger(in: bytes), version <= 1
        else { return false }
        return fields.isNext(BERTag.sequence, in: bytes)
    }
}
