/// Why a message of a session is not accepted, or cannot be written.
public enum SessionSecurityError: Error, Equatable, Sendable {
    /// Client and server did not agree on encryption.
    case sealingNotAgreed
    /// What arrived is shorter than a signature.
    case truncated(needed: Int, available: Int)
    /// The message is not the one that the peer sent at this place: changed, left out, repeated or out of order.
    case signatureMismatch(sequenceNumber: UInt32)
    /// A message was refused before; both counters and keystreams are out of step since.
    case broken
    /// Every sequence number of this direction was used; going on would repeat them.
    case exhausted
}

extension SessionSecurityError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .sealingNotAgreed:
            "the handshake agreed on no NTLMSSP_NEGOTIATE_SEAL: sign only, or ask for sealing in the handshake"
        case .truncated(let needed, let available):
            "signed message of \(available) bytes: a signature alone has \(needed); it was cut off on its way"
        case .signatureMismatch(let sequenceNumber):
            "message \(sequenceNumber) does not bear the peer's signature: close the connection"
        case .broken:
            "an earlier message of this session was refused: close the connection and start a new handshake"
        case .exhausted:
            "all 4294967296 sequence numbers of this direction were used: start a new handshake"
        }
    }
}
