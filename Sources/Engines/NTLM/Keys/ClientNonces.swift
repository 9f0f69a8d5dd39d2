internal import InsecureDigests
internal import Secrets
internal import WireFormat

/// The random numbers of one handshake of a client: its challenge and its session key.
///
/// Set them only to replay a recorded handshake or in a test. With a repeated client challenge a server can replay
/// answers, and with a known session key signatures protect nothing.
public struct ClientNonces: Sendable {
    private let recordedChallenge: UInt64
    private let recordedKey: SharedSecret

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
        recordedChallenge = challenge
        recordedKey = SharedSecret(SecretBytes(copying: exportedSessionKey))
    }

    /// The values, for one computation.
    struct Drawn {
        /// Eight bytes, least significant first.
        let clientChallenge: UInt64
        private(set) var exportedSessionKey: Digest16

        /// Draws fresh values from the system.
        ///
        /// - Complexity: one system call; no allocation.
        init() {
            let words = randomWords()
            clientChallenge = words.0
            exportedSessionKey = Digest16(low: words.1, high: words.2)
        }

        init(clientChallenge: UInt64, exportedSessionKey: Digest16) {
            self.clientChallenge = clientChallenge
            self.exportedSessionKey = exportedSessionKey
        }

        /// Overwrites the key.
        mutating func erase() { exportedSessionKey.erase() }
    }

    var drawn: Drawn {
        Drawn(
            clientChallenge: recordedChallenge,
            exportedSessionKey: recordedKey.withBytes { key in
                assert(key.count == SessionKeys.byteCount, "`init` checked the length")
                return Digest16(copying: key)
            }
        )
    }
}
