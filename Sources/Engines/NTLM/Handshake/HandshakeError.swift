internal import WireFormat

/// Why a handshake ends without an answer. The client has sent no message that depends on the password then.
public enum HandshakeError: Error, Equatable, Sendable {
    /// The CHALLENGE cannot be read, or the answer cannot be written.
    case message(MessageError)
    /// The server does not accept Unicode names.
    case unicodeMissing
    /// The CHALLENGE lacks flags that the client asked for and a safe answer needs.
    case downgrade(missing: NegotiateFlags)
    /// The server's clock is too far from ours, so the CHALLENGE may be an old one that an attacker replays.
    case staleTimestamp(skewSeconds: Int64)
    /// The account has no domain, and the server authenticates accounts of a domain.
    case domainRequired(target: String)
    /// The call came before ``ClientHandshake/negotiate()``, or after the answer.
    case wrongStep
}

extension HandshakeError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .message(let error): "\(error)"
        case .unicodeMissing:
            "the CHALLENGE lacks NTLMSSP_NEGOTIATE_UNICODE: the server accepts no Unicode names; use another scheme"
        case .downgrade(let missing):
            "the CHALLENGE lacks \(missing): only NTLMv2 is answered; check the server and every proxy before it"
        case .staleTimestamp(let skewSeconds):
            "the server's clock is \(skewSeconds) seconds from ours: set the clocks; "
                + "if they are right, this may be a replay"
        case .domainRequired(let target):
            // The name comes from the network, so it is quoted and escaped: a line break in it must not end the line.
            "the account has no domain and the server belongs to \(VisibleText.quoted(target)): write DOMAIN\\user"
        case .wrongStep:
            "the handshake expects no CHALLENGE: call negotiate() first, and answer one CHALLENGE only"
        }
    }
}
