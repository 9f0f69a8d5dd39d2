internal import Secrets

/// A cipher of the files: block cipher, CBC, and padding as in RFC 8018 section 6.1.1.
enum BlockCipher: Equatable {
    /// AES (FIPS 197) with a key of so many bytes.
    case aes(keyBytes: Int)
    /// Triple DES (FIPS 46-3) with two or three keys.
    case tripleDES(keys: Int)
    /// RC2 (RFC 2268) with a key of so many bytes, all of whose bits count.
    case rc2(keyBytes: Int)

    var keyBytes: Int {
        switch self {
        case .aes(let keyBytes), .rc2(let keyBytes): keyBytes
        case .tripleDES(let keys): 8 * keys
        }
    }

    var blockBytes: Int {
        switch self {
        case .aes: 16
        case .tripleDES, .rc2: 8
        }
    }

    /// Decrypts `ciphertext`; the caller erases the result.
    ///
    /// - Returns: `nil` if the length or the padding is wrong. A wrong key leaves a right padding in one of 256 cases.
    /// - Precondition: `key` and `vector` have the lengths of this cipher.
    func decrypt(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        precondition(key.count == keyBytes && vector.count == blockBytes, "a key or vector of another length")
        guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: blockBytes) else { return nil }
        switch self {
        case .aes: return AESDecryption.decrypt(ciphertext, key: key, vector: vector)
        case .tripleDES(let keys):
            let first = DES(key: key[0..<8])
            let second = DES(key: key[8..<16])
            let third = keys == 3 ? DES(key: key[16..<24]) : first
            return decrypt(ciphertext, vector) { first.decrypt(second.encrypt(third.decrypt($0))) }
        case .rc2:
            let cipher = RC2(key: key[...])
            return decrypt(ciphertext, vector) { cipher.decrypt($0) }
        }
    }

    private func decrypt(_ ciphertext: [UInt8], _ vector: [UInt8], _ block: (UInt64) -> UInt64) -> [UInt8]? {
        var plaintext: [UInt8] = []
        plaintext.reserveCapacity(ciphertext.count)
        var previous = DES.word(vector[...])
        for start in stride(from: 0, to: ciphertext.count, by: 8) {
            let input = DES.word(ciphertext[start..<start + 8])
            let output = block(input) ^ previous
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                plaintext.append(UInt8(truncatingIfNeeded: output >> shift))
            }
            previous = input
        }
        let padding = Int(plaintext[plaintext.count - 1])
        guard (1...8).contains(padding), plaintext.suffix(padding).allSatisfy({ Int($0) == padding }) else {
            erase(&plaintext)
            return nil
        }
        plaintext.removeLast(padding)
        return plaintext
    }
}
