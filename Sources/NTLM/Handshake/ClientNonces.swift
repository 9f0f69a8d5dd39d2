internal import Secrets
internal import WireFormat

/// What a client draws at random for one handshake.
///
/// Give it by hand only to replay a recorded handshake or in a test: a client challenge that is used twice lets a server
/// replay answers, and a known session key signs nothing.
public struct ClientNonces: Sendable {
    /// Eight bytes, least significant first.
    let clientChallenge: UInt64
    let exportedSessionKey: SharedSecret

    /// Takes recorded values.
    ///
    /// - Throws: `wrongLength` unless the challenge has 8 bytes and the key has 16.
    public init(clientChallenge: Span<UInt8>, exportedSessionKey: Span<UInt8>) throws(NTLMKeyError) {
        guard clientChallenge.count == 8, let challenge = littleEndianUInt64(in: clientChallenge, at: 0) else {
            throw .wrongLength(expected: 8, found: clientChallenge.count)
        }
        guard exportedSessionKey.count == SessionKeys.byteCount else {
            throw .wrongLength(expected: SessionKeys.byteCount, found: exportedSessionKey.count)
        }
        self.clientChallenge = challenge
        self.exportedSessionKey = SharedSecret(SecretBytes(copying: exportedSessionKey))
    }

    /// Draws fresh values from the system.
    init() {
        var generator = SystemRandomNumberGenerator()
        clientChallenge = generator.next()
        var key: [UInt8] = []
        key.reserveCapacity(SessionKeys.byteCount)
        key.append(littleEndian: generator.next())
        key.append(littleEndian: generator.next())
        exportedSessionKey = SharedSecret(SecretBytes(consuming: &key))
    }
}
