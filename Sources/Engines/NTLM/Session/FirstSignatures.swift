internal import InsecureDigests
internal import Secrets

/// Signs the first message of each direction of a session, without the state that a ``SessionSecurity`` keeps for the others.
///
/// SPNEGO signs one list in each direction (MS-SPNG 3.1.5.1). A signature depends on the keys and the message alone, so copies of
/// this value return the same one. Sign one message with it: two would be encrypted with the same keystream.
package struct FirstSignatures: Sendable {
    private let keys: SessionKeys
    private let flags: NegotiateFlags
    private let isClient: Bool

    /// Bytes in a signature.
    package static let byteCount = SessionDirection.signatureSize

    /// - Parameters:
    ///   - flags: the agreed flags.
    ///   - isClient: whether this is the client's end.
    /// - Returns: `nil` where ``SessionSecurity`` is `nil`, too.
    package init?(keys: SessionKeys, flags: NegotiateFlags, isClient: Bool) {
        guard flags.agreesOnSignatures else { return nil }
        (self.keys, self.flags, self.isClient) = (keys, flags, isClient)
    }

    /// Signs `message`, which is the first one on this side. Returns `nil` if the handshake has made no signing keys.
    package func sign(_ message: Span<UInt8>) -> [UInt8]? { ownSignature(of: message)?.bytes }

    /// The same without an allocation.
    func ownSignature(of message: Span<UInt8>) -> Digest16? {
        signature(of: message, isClient ? .clientToServer : .serverToClient)
    }

    /// Whether `signature` is the peer's signature of `message` as its first, in constant time.
    ///
    /// - Complexity: O(*n*); no allocation.
    package func accepts(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        guard let expected = self.signature(of: message, isClient ? .serverToClient : .clientToServer) else {
            return false
        }
        return expected.withBytes { constantTimeEqual($0, signature) }
    }

    private func signature(of message: Span<UInt8>, _ direction: MessageDirection) -> Digest16? {
        guard var derived = SealingKeys(exportedSessionKey: keys.exportedSessionKey, flags: flags, direction: direction)
        else { return nil }
        defer { derived.erase() }
        let checksum = HMACMD5.encryptedCode(
            of: message,
            number: 0,
            key: derived.signingKey,
            // MS-NLMP 3.4.4.2: without an exchanged key the checksum is not encrypted.
            cipherKey: flags.exchangesKeys ? derived.sealingKey : nil
        ).low
        // ``SessionDirection`` draws the bytes: the version 1, the checksum, and the sequence number 0.
        return Digest16(low: 1 | checksum << 32, high: checksum >> 32)
    }
}

extension NegotiateFlags {
    /// Whether the following messages can be signed with keys that are strong enough.
    var agreesOnSignatures: Bool {
        !isDisjoint(with: [.sign, .seal]) && contains(.extendedSessionSecurity)
            && !isDisjoint(with: [.negotiate128, .negotiate56])
    }
}
