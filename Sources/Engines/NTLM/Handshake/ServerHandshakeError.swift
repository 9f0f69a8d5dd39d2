/// Why a server refuses a client. No case reveals whether an account exists or which part of a proof was wrong.
public enum ServerHandshakeError: Error, Equatable, Sendable {
    /// The client's message cannot be read, or the CHALLENGE cannot be written.
    case message(MessageError)
    /// The NEGOTIATE has neither the Unicode nor the OEM flag.
    case encodingMissing
    /// The NEGOTIATE lacks flags that a safe session needs.
    case downgrade(missing: NegotiateFlags)
    /// The response is weaker than NTLMv2.
    case refusedResponse(RefusedResponse)
    /// A name is not well-formed text in the agreed encoding.
    case unreadableName(MessageField)
    /// The response changes an attribute of our CHALLENGE, or adds one that only a server sets.
    case targetInfoChanged(id: UInt16)
    /// The response has an attribute twice, so that two readers could see two values.
    case repeatedAttribute(id: UInt16)
    /// The message has no integrity code although our CHALLENGE or its own `MsvAvFlags` requires one.
    case messageIntegrityCodeMissing
    /// The response is not bound to a TLS connection.
    case channelBindingsMissing
    /// The response is bound to another TLS connection; perhaps it was relayed.
    case channelBindingsMismatch
    /// The client's clock is too far from ours.
    case staleTimestamp(skewSeconds: Int64)
    /// The encrypted session key does not have 16 bytes.
    case sessionKeyLength(found: Int)
    /// The account is unknown, the password is wrong, or a message was changed. One case, so that an attacker cannot
    /// tell which.
    case rejected
    /// The response was accepted before.
    case replayed
    /// The call came before a CHALLENGE, or a second answer came to one CHALLENGE.
    case wrongStep
}

/// The kinds of response that are never accepted.
public enum RefusedResponse: String, Equatable, Sendable {
    /// An empty response.
    case anonymous
    /// An LM or LMv2 response alone: neither covers the target information.
    case lmOnly = "LM or LMv2 alone"
    /// An NTLMv1 response.
    case ntlmV1 = "NTLMv1"
    /// An NTLMv1 response with extended session security.
    case ntlm2Session = "NTLM2 session"
}

extension ServerHandshakeError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .message(let error): "\(error)"
        case .encodingMissing:
            "the NEGOTIATE offers neither Unicode nor OEM names: the client breaks MS-NLMP 2.2.1.1"
        case .downgrade(let missing):
            "the NEGOTIATE lacks \(missing): only NTLMv2 is accepted; configure the client"
        case .refusedResponse(let kind):
            "the response in the AUTHENTICATE is \(kind.rawValue): only NTLMv2 is accepted; configure the client"
        case .unreadableName(let field):
            "\(field.rawValue) is not well-formed text: the client must send it in UTF-16, or in ASCII"
        case .targetInfoChanged(let id):
            "AV_PAIR \(id) of the response differs from the CHALLENGE: a message was changed; close the connection"
        case .repeatedAttribute(let id):
            "the response has AV_PAIR \(id) twice: close the connection"
        case .messageIntegrityCodeMissing:
            "the AUTHENTICATE has no message integrity code: update the client; if it sends one, a message was changed"
        case .channelBindingsMissing:
            "the response is not bound to a TLS connection: the client must send channel bindings"
        case .channelBindingsMismatch:
            "the response is bound to another TLS connection: look for a proxy that terminates TLS, or for a relay"
        case .staleTimestamp(let skewSeconds):
            "the client's clock is \(skewSeconds) seconds from ours: set the clocks"
        case .sessionKeyLength(let found):
            "EncryptedRandomSessionKey has \(found) bytes instead of 16: the message is damaged"
        case .rejected: "the account or its proof is not accepted: check user name, domain and password"
        case .replayed: "this response was accepted before, and is accepted once only: start a new handshake"
        case .wrongStep: "the handshake expects no AUTHENTICATE: send a CHALLENGE first, and take one answer to it"
        }
    }
}
