internal import Crypto
internal import CryptoExtras
internal import Secrets

// CryptoExtras speaks Foundation's `Data`.
#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// AES-CBC and PBKDF2 of swift-crypto.
enum AESDecryption {
    /// Decrypts whole blocks; `nil` if the padding is wrong.
    static func decrypt(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        guard let vector = try? AES._CBC.IV(ivBytes: vector),
            var data = try? AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: key), iv: vector)
        else { return nil }
        return unsafe data.withUnsafeMutableBytes { bytes in
            let plaintext = unsafe [UInt8](bytes)
            // In bounds: the bytes of `data`, which has no other owner.
            unsafe overwrite(bytes)
            return plaintext
        }
    }

    /// PBKDF2 (RFC 8018 section 5.2); the caller erases the result.
    ///
    /// - Precondition: the salt is not empty, because swift-crypto traps on an empty one.
    static func pbkdf2(
        _ passphrase: [UInt8],
        salt: [UInt8],
        iterations: Int,
        _ hash: PasswordHash,
        count: Int
    ) -> [UInt8]? {
        precondition(!salt.isEmpty && iterations > 0, "an empty salt, or no iteration")
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            // HMAC pads its key with zeros, so one zero is the empty key; swift-crypto traps on an empty one.
            from: passphrase.isEmpty ? [0] : passphrase,
            salt: salt,
            using: hash.pbkdf2,
            outputByteCount: count,
            unsafeUncheckedRounds: iterations
        )
        return unsafe key?.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

extension PasswordHash {
    fileprivate var pbkdf2: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha1: .insecureSHA1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
