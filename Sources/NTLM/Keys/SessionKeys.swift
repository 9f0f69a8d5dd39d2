package import InsecureDigests
package import Secrets
internal import WireFormat

/// The keys that a handshake ends with (MS-NLMP 3.1.5.1.2, 3.4.5.1).
///
/// With NTLMv2 the `KeyExchangeKey` is the `SessionBaseKey`. When client and server agreed on a key exchange, the client
/// chose the `ExportedSessionKey` and sends it under that key; else both are the same.
package struct SessionKeys: Sendable {
    package let sessionBaseKey: SharedSecret
    package let exportedSessionKey: SharedSecret
    /// What goes into the AUTHENTICATE: 16 bytes, or none without a key exchange.
    package let encryptedRandomSessionKey: [UInt8]

    /// How many bytes each key has.
    package static let byteCount = 16

    /// The flags under which keys are exchanged: without anything to sign or seal there is no use for another key.
    package static func areExchanged(_ flags: NegotiateFlags) -> Bool {
        flags.contains(.keyExchange) && !flags.isDisjoint(with: [.sign, .seal])
    }

    /// Keys without an exchange.
    package init(sessionBaseKey: Digest16) {
        let key = sessionBaseKey.withBytes { SharedSecret(SecretBytes(copying: $0)) }
        self.sessionBaseKey = key
        exportedSessionKey = key
        encryptedRandomSessionKey = []
    }

    /// Keys with an exchange: `exportedSessionKey` is the client's choice, and is encrypted with RC4.
    package init(sessionBaseKey: Digest16, exchanging exportedSessionKey: SharedSecret) {
        self.sessionBaseKey = sessionBaseKey.withBytes { SharedSecret(SecretBytes(copying: $0)) }
        self.exportedSessionKey = exportedSessionKey
        var encrypted = exportedSessionKey.withBytes { [UInt8](copying: $0) }
        sessionBaseKey.withBytes { RC4(key: $0).apply(to: &encrypted) }
        encryptedRandomSessionKey = encrypted
    }

    /// Keys as the server finds them: what the client chose is decrypted with RC4.
    ///
    /// - Parameter encryptedRandomSessionKey: 16 bytes, or none without a key exchange.
    package init(sessionBaseKey: Digest16, decrypting encryptedRandomSessionKey: [UInt8]) {
        let base = sessionBaseKey.withBytes { SharedSecret(SecretBytes(copying: $0)) }
        self.sessionBaseKey = base
        self.encryptedRandomSessionKey = encryptedRandomSessionKey
        if encryptedRandomSessionKey.isEmpty {
            exportedSessionKey = base
        } else {
            var key = encryptedRandomSessionKey
            sessionBaseKey.withBytes { RC4(key: $0).apply(to: &key) }
            exportedSessionKey = SharedSecret(SecretBytes(consuming: &key))
        }
    }
}
