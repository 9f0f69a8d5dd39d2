internal import Crypto
internal import Foundation

/// Opens the records of a server's handshake in TLS 1.3 (RFC 8446 sections 5.2, 5.3 and 7.3).
struct RecordOpening {
    private enum Cipher {
        case aesGCM
        case chaChaPoly
    }

    private let cipher: Cipher
    private let key: SymmetricKey
    private let iv: [UInt8]
    private var sequence: UInt64 = 0

    /// - Parameters:
    ///   - suite: the cipher suite of the ServerHello.
    ///   - secret: the server's handshake traffic secret.
    /// - Returns: `nil` for another suite than the three of BoringSSL.
    init?(suite: UInt16, secret: [UInt8]) {
        switch suite {
        case 0x1301: self.init(.aesGCM, keyBytes: 16, secret, SHA256.self)
        case 0x1302: self.init(.aesGCM, keyBytes: 32, secret, SHA384.self)
        case 0x1303: self.init(.chaChaPoly, keyBytes: 32, secret, SHA256.self)
        default: return nil
        }
    }

    private init?<Hash: HashFunction>(_ cipher: Cipher, keyBytes: Int, _ secret: [UInt8], _: Hash.Type) {
        guard secret.count == Hash.Digest.byteCount else { return nil }
        self.cipher = cipher
        key = Self.expand(secret, "key", keyBytes, Hash.self)
        iv = unsafe Self.expand(secret, "iv", 12, Hash.self).withUnsafeBytes { unsafe Array($0) }
    }

    /// HKDF-Expand-Label without a context.
    private static func expand<Hash: HashFunction>(
        _ secret: [UInt8],
        _ label: String,
        _ count: Int,
        _: Hash.Type
    ) -> SymmetricKey {
        let label = Array("tls13 \(label)".utf8)
        let info = [0, UInt8(count), UInt8(label.count)] + label + [0]
        return HKDF<Hash>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
    }

    /// Opens the next record.
    ///
    /// - Parameters:
    ///   - header: its five bytes.
    ///   - contents: ciphertext and tag.
    /// - Returns: type and contents of what is inside; `nil` if the record is not authentic.
    mutating func open(header: ArraySlice<UInt8>, _ contents: ArraySlice<UInt8>) -> (type: UInt8, contents: [UInt8])? {
        let tagBytes = 16
        guard contents.count > tagBytes else { return nil }
        var nonce = iv
        for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * index)) }
        sequence += 1
        let (ciphertext, tag) = (contents.dropLast(tagBytes), contents.suffix(tagBytes))
        let opened: Data?
        switch cipher {
        case .aesGCM:
            opened = try? AES.GCM.open(
                AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: ciphertext, tag: tag),
                using: key,
                authenticating: header
            )
        case .chaChaPoly:
            opened = try? ChaChaPoly.open(
                ChaChaPoly.SealedBox(nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: ciphertext, tag: tag),
                using: key,
                authenticating: header
            )
        }
        // Zeros may follow the type.
        guard let opened, let end = opened.lastIndex(where: { $0 != 0 }) else { return nil }
        return (opened[end], Array(opened[..<end]))
    }
}
