internal import Secrets
internal import WireFormat

/// Signs and encrypts the messages after a handshake (MS-NLMP 3.4, with extended session security).
///
/// Each direction has a counter and one keystream, so pass every message once, in the order of the connection. The type
/// is noncopyable and a handshake returns one value, because a copy would use the keystream twice. The keys are erased
/// with the value. After a refused message the incoming direction accepts no other.
public struct SessionSecurity: ~Copyable {
    /// Bytes that a signature adds to a message.
    public static let signatureSize = SessionDirection.signatureSize

    private var outgoing: SessionDirection
    private var incoming: SessionDirection
    private let seals: Bool
    private var isBroken = false

    /// Derives the keys of both directions.
    ///
    /// - Parameters:
    ///   - flags: the agreed flags.
    ///   - isClient: whether this is the client's end.
    /// - Returns: `nil` if neither signing nor sealing was agreed on, or if the keys would be too weak.
    package init?(keys: SessionKeys, flags: NegotiateFlags, isClient: Bool) {
        guard !flags.isDisjoint(with: [.sign, .seal]) else { return nil }
        let outward: MessageDirection = isClient ? .clientToServer : .serverToClient
        let inward: MessageDirection = isClient ? .serverToClient : .clientToServer
        guard let outgoing = SessionDirection(keys: keys, flags: flags, direction: outward),
            let incoming = SessionDirection(keys: keys, flags: flags, direction: inward)
        else { return nil }
        self.outgoing = outgoing
        self.incoming = incoming
        seals = flags.contains(.seal)
        assert(flags.contains(.extendedSessionSecurity), "`SealingKeys` refuses the older signatures")
    }

    /// Returns the signature of `message`, 16 bytes (`GSS_GetMICEx`).
    ///
    /// - Throws: `exhausted` after 2³² messages.
    /// - Complexity: O(*n*).
    public mutating func sign(_ message: Span<UInt8>) throws(SessionSecurityError) -> [UInt8] {
        try outgoing.signature(of: message)
    }

    /// Checks the signature of the next message from the peer in constant time (`GSS_VerifyMICEx`).
    ///
    /// - Throws: `truncated` or `signatureMismatch`; `broken` at every later call.
    /// - Complexity: O(*n*).
    public mutating func verify(
        _ message: Span<UInt8>,
        signature: Span<UInt8>
    ) throws(SessionSecurityError) {
        guard !isBroken else { throw .broken }
        // After a failure below, counter or keystream no longer match those of the peer.
        isBroken = true
        guard signature.count >= Self.signatureSize else {
            throw .truncated(needed: Self.signatureSize, available: signature.count)
        }
        let number = incoming.sequenceNumber ?? .max
        let expected = try incoming.signature(of: message)
        guard constantTimeEqual(expected.span, signature) else { throw .signatureMismatch(sequenceNumber: number) }
        isBroken = false
    }

    /// Returns the signature of `message`, then `message` encrypted (`GSS_WrapEx`).
    ///
    /// - Throws: `sealingNotAgreed`, or `exhausted` after 2³² messages.
    /// - Complexity: O(*n*).
    public mutating func seal(_ message: Span<UInt8>) throws(SessionSecurityError) -> [UInt8] {
        guard seals else { throw .sealingNotAgreed }
        var encrypted = [UInt8](copying: message)
        outgoing.crypt(&encrypted)
        var sealed = try outgoing.signature(of: message)
        sealed.append(contentsOf: encrypted)
        assert(sealed.count == Self.signatureSize + message.count)
        return sealed
    }

    /// Decrypts and checks the next message from the peer: a signature, then the encrypted message (`GSS_UnwrapEx`).
    ///
    /// - Throws: `sealingNotAgreed`, `truncated` or `signatureMismatch`; `broken` at every later call. The plaintext of
    ///   a refused message is erased.
    /// - Complexity: O(*n*).
    public mutating func unseal(_ sealed: Span<UInt8>) throws(SessionSecurityError) -> [UInt8] {
        guard seals else { throw .sealingNotAgreed }
        guard !isBroken else { throw .broken }
        guard sealed.count >= Self.signatureSize else {
            isBroken = true
            throw .truncated(needed: Self.signatureSize, available: sealed.count)
        }
        var message = [UInt8](copying: sealed.extracting(Self.signatureSize..<sealed.count))
        incoming.crypt(&message)
        do {
            try verify(message.span, signature: sealed.extracting(0..<Self.signatureSize))
        } catch {
            erase(&message)
            assert(isBroken, "after a refused message the direction accepts no other")
            throw error
        }
        return message
    }
}
