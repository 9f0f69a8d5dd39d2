/// Why a message of a session is refused, or cannot be written.
public enum SessionSecurityError: Error, Equatable, Sendable {
    /// Client and server did not agree on encryption.
    case sealingNotAgreed
    /// The message is shorter than a signature.
    case truncated(needed: Int, available: Int)
    /// The signature does not fit the next message of the peer: a message was changed, lost, repeated or reordered.
    case signatureMismatch(sequenceNumber: UInt32)
    /// An earlier message was refused, so counters and keystreams no longer match those of the peer.
    case broken
    /// All 2³² sequence numbers of this direction were used.
    case exhausted
}

extension SessionSecurityError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .sealingNotAgreed:
            "the handshake did not agree on NTLMSSP_NEGOTIATE_SEAL: sign only, or ask for sealing in the handshake"
        case .truncated(let needed, let available):
            "signed message of \(available) bytes: the signature alone has \(needed); close the connection"
        case .signatureMismatch(let sequenceNumber):
            "the signature of message \(sequenceNumber) is wrong: close the connection"
        case .broken:
            "an earlier message of this session was refused: close the connection and start a new handshake"
        case .exhausted:
            "all 4294967296 sequence numbers of this direction were used: start a new handshake"
        }
    }
}
