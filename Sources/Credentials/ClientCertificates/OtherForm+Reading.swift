/// Recognises the forms in whole files.
extension OtherForm {
    /// How a file begins.
    private static let beginnings: [(bytes: [UInt8], form: OtherForm)] = [
        ([0xFE, 0xED, 0xFE, 0xED], .javaKeyStore), ([0xCE, 0xCE, 0xCE, 0xCE], .javaKeyStore),
        (Array("openssh-key-v1\0".utf8), .openSSH), (Array("PuTTY-User-Key-File-".utf8), .putty),
        (Array("ssh-".utf8), .publicKey), (Array("ecdsa-sha2-".utf8), .publicKey),
    ]

    /// The form of a file in which no key, or no certificate, was found; `nil` for an unknown one.
    init?(of bytes: Span<UInt8>) {
        for (beginning, form) in Self.beginnings
        where bytes.count >= beginning.count && beginning.indices.allSatisfy({ bytes[$0] == beginning[$0] }) {
            self = form
            return
        }
        for (labels, form) in Self.labels where PEMKey.hasBlock(labelled: labels, in: bytes) {
            self = form
            return
        }
        if PKCS12File.isPKCS12(bytes) {
            self = .pkcs12
        } else if Self.isPublicKey(bytes) {
            self = .publicKey
        } else {
            return nil
        }
    }

    /// Whether this is a SubjectPublicKeyInfo: SEQUENCE { SEQUENCE, BIT STRING }.
    private static func isPublicKey(_ bytes: Span<UInt8>) -> Bool {
        var whole = BERReader(over: 0..<bytes.count, of: .key)
        guard var fields = try? whole.enter(BERTag.sequence, in: bytes), whole.isAtEnd,
            (try? fields.read(BERTag.sequence, in: bytes)) != nil,
            (try? fields.read(BERTag.bitString, in: bytes)) != nil
        else { return false }
        return fields.isAtEnd
    }
}
