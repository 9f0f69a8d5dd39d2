internal import InsecureDigests
internal import Secrets
internal import WireFormat

/// The direction of a message of a session. Each direction has its own keys and counter.
enum MessageDirection {
    case clientToServer
    case serverToClient

    /// The constant that MS-NLMP 3.4.5.2 appends to the session key, its terminating zero included.
    func signingConstant() -> [UInt8] { constant("signing") }

    /// The constant that MS-NLMP 3.4.5.3 appends to the session key, its terminating zero included.
    func sealingConstant() -> [UInt8] { constant("sealing") }

    private func constant(_ purpose: String) -> [UInt8] {
        let way = self == .clientToServer ? "client-to-server" : "server-to-client"
        return [UInt8]("session key to \(way) \(purpose) key magic constant\0".utf8)
    }
}

/// The keys of one direction with extended session security (`SIGNKEY` and `SEALKEY`, MS-NLMP 3.4.5.2 and 3.4.5.3).
struct SealingKeys: ~Copyable {
    let signingKey: SecretBytes
    let sealingKey: SecretBytes

    /// Derives both.
    ///
    /// - Parameters:
    ///   - exportedSessionKey: 16 bytes.
    ///   - flags: the agreed flags; they determine how many bytes of the session key the sealing key is made from.
    /// - Returns: `nil` without extended session security, and if the flags allow only a 40-bit key.
    init?(exportedSessionKey: Digest16, flags: NegotiateFlags, direction: MessageDirection) {
        guard flags.contains(.extendedSessionSecurity) else { return nil }
        let strength: Int
        if flags.contains(.negotiate128) {
            strength = 16
        } else if flags.contains(.negotiate56) {
            strength = 7
        } else {
            return nil
        }
        signingKey = Self.derive(exportedSessionKey, prefix: 16, constant: direction.signingConstant())
        sealingKey = Self.derive(exportedSessionKey, prefix: strength, constant: direction.sealingConstant())
    }

    private static func derive(_ key: Digest16, prefix: Int, constant: [UInt8]) -> SecretBytes {
        key.withBytes { key in
            assert(prefix > 0 && prefix <= key.count)
            assert(constant.last == 0, "MS-NLMP 3.4.5.2: the constants end with a zero byte")
            var hash = MD5()
            hash.update(key.extracting(0..<prefix))
            hash.update(constant.span)
            return hash.finalize().withBytes { SecretBytes(copying: $0) }
        }
    }
}
