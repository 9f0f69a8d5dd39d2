internal import InsecureDigests

/// The direction of a message of a session. Each direction has its own keys and counter.
enum MessageDirection {
    case clientToServer
    case serverToClient

    /// The constants that MS-NLMP 3.4.5.2 and 3.4.5.3 append to the session key, their terminating zeros included.
    func constant(_ purpose: KeyPurpose) -> [UInt8] {
        let way = self == .clientToServer ? "client-to-server" : "server-to-client"
        return [UInt8]("session key to \(way) \(purpose.rawValue) key magic constant\0".utf8)
    }

    /// What a key of a session does.
    enum KeyPurpose: String {
        case signing, sealing
    }

    /// Both constants, prepared once.
    fileprivate var constants: Constants {
        switch self {
        case .clientToServer: Self.toServer
        case .serverToClient: Self.toClient
        }
    }

    private static let toServer = Constants(.clientToServer)
    private static let toClient = Constants(.serverToClient)

    fileprivate struct Constants: Sendable {
        let signing: KeyConstant
        let sealing: KeyConstant

        init(_ direction: MessageDirection) {
            signing = KeyConstant(direction.constant(.signing))
            sealing = KeyConstant(direction.constant(.sealing))
        }
    }
}

/// The keys of one direction with extended session security (`SIGNKEY` and `SEALKEY`, MS-NLMP 3.4.5.2 and 3.4.5.3), for one
/// computation.
struct SealingKeys {
    private(set) var signingKey: Digest16
    private(set) var sealingKey: Digest16

    /// Bytes of the session key that the sealing key is made from if `NTLMSSP_NEGOTIATE_56` is the best that was agreed on.
    private static let weakPrefix = 7

    /// Derives both.
    ///
    /// - Parameters:
    ///   - exportedSessionKey: 16 bytes.
    ///   - flags: the agreed flags; they determine how many bytes of the session key the sealing key is made from.
    /// - Returns: `nil` without extended session security, and if the flags allow only a 40-bit key.
    init?(exportedSessionKey: Digest16, flags: NegotiateFlags, direction: MessageDirection) {
        guard flags.contains(.extendedSessionSecurity) else { return nil }
        guard !flags.isDisjoint(with: [.negotiate128, .negotiate56]) else { return nil }
        let constants = direction.constants
        (signingKey, sealingKey) = MD5.hash(exportedSessionKey, then: constants.signing, constants.sealing)
        guard !flags.contains(.negotiate128) else { return }
        sealingKey = exportedSessionKey.withBytes { key in
            var hash = MD5()
            hash.update(key.extracting(0..<Self.weakPrefix))
            hash.update(direction.constant(.sealing).span)
            return hash.finalize()
        }
    }

    /// Overwrites both.
    mutating func erase() {
        signingKey.erase()
        sealingKey.erase()
    }
}
