internal import WireFormat

/// Why a handshake ends without an answer. Nothing that could be attacked has left the client then.
public enum HandshakeError: Error, Equatable, Sendable {
    /// The CHALLENGE cannot be read, or the answer cannot be written.
    case message(MessageError)
    /// The server does not take Unicode names.
    case unicodeMissing
    /// The server left out what was asked for and what a safe answer needs.
    case downgrade(missing: NegotiateFlags)
    /// The server's clock is too far from ours: its CHALLENGE may be an old one, replayed.
    case staleTimestamp(skewSeconds: Int64)
    /// The account names no domain, and the server is the door of one.
    case domainRequired(target: String)
    /// An answer was asked for before a NEGOTIATE was sent, or a second time.
    case wrongStep
}

extension HandshakeError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .message(let error): "\(error)"
        case .unicodeMissing:
            "the CHALLENGE lacks NTLMSSP_NEGOTIATE_UNICODE: the server speaks no Unicode; use another scheme"
        case .downgrade(let missing):
            "the CHALLENGE lacks \(missing): nothing weaker than NTLMv2 is answered; check the server or who is between"
        case .staleTimestamp(let skewSeconds):
            "the server's clock is \(skewSeconds) seconds from ours: set the clocks, or distrust the CHALLENGE"
        case .domainRequired(let target):
            // The name comes from the network: quoted and escaped, so that it stays on this line.
            "the account names no domain and the server speaks for \(VisibleText.quoted(target)): write DOMAIN\\user"
        case .wrongStep:
            "no answer is due at this step: call negotiate() first, and answer one CHALLENGE only"
        }
    }
}
