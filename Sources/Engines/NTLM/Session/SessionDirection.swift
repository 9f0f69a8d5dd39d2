internal import InsecureDigests
internal import WireFormat

/// One direction of a session: its keys, its keystream and its counter (MS-NLMP 3.4.4.2).
///
/// ```
/// 0           4          12        16
/// ┌───────────┬──────────┬─────────┐
/// │Version = 1│ checksum │ SeqNum  │   NTLMSSP_MESSAGE_SIGNATURE, MS-NLMP 2.2.2.9.2
/// └───────────┴──────────┴─────────┘
/// ```
struct SessionDirection: ~Copyable {
    /// Bytes in a signature.
    static let signatureSize = 16
    private static let checksumSize = 8

    private let signingKey: HMACMD5.Key
    private let keystream: RC4
    private let encryptsChecksum: Bool
    /// The number of the next message; `nil` after the last number.
    private(set) var sequenceNumber: UInt32? = 0

    init?(keys: SessionKeys, flags: NegotiateFlags, direction: MessageDirection) {
        guard
            var derived = SealingKeys(
                exportedSessionKey: keys.exportedSessionKey,
                flags: flags,
                direction: direction
            )
        else { return nil }
        defer { derived.erase() }
        signingKey = derived.signingKey.withBytes { HMACMD5.Key($0) }
        keystream = derived.sealingKey.withBytes { RC4(key: $0) }
        // MS-NLMP 3.4.4.2: without an exchanged key the checksum is not encrypted.
        encryptsChecksum = flags.exchangesKeys
    }

    /// Encrypts or decrypts with the next bytes of the keystream.
    func crypt(_ bytes: inout [UInt8]) { keystream.apply(to: &bytes) }

    /// Returns the signature of `message`, and increments the sequence number.
    ///
    /// For a sealed message call ``crypt(_:)`` first, because the keystream covers the message before the checksum.
    mutating func signature(of message: Span<UInt8>) throws(SessionSecurityError) -> [UInt8] {
        guard let number = sequenceNumber else { throw .exhausted }
        sequenceNumber = number == .max ? nil : number + 1
        var counter: [UInt8] = []
        counter.append(littleEndian: number)
        var code = HMACMD5(signingKey)
        code.update(counter.span)
        code.update(message)
        var checksum = code.finalize().withBytes { [UInt8](copying: $0.extracting(0..<Self.checksumSize)) }
        if encryptsChecksum { keystream.apply(to: &checksum) }
        assert(checksum.count == Self.checksumSize, "the keystream advances by the bytes of one checksum")
        var signature: [UInt8] = []
        signature.reserveCapacity(Self.signatureSize)
        signature.append(littleEndian: UInt32(1))
        signature.append(contentsOf: checksum)
        signature.append(littleEndian: number)
        assert(signature.count == Self.signatureSize)
        return signature
    }
}
