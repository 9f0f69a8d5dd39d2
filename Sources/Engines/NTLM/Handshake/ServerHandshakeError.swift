/// Why a server lets nobody in. No case tells whether an account exists or which part of a proof was wrong.
public enum ServerHandshakeError: Error, Equatable, Sendable {
    /// What the client sent cannot be read, or the CHALLENGE cannot be written.
    case message(MessageError)
    /// The NEGOTIATE offers no encoding of names.
    case encodingMissing
    /// The client left out what safe sessions need.
    case downgrade(missing: NegotiateFlags)
    /// The client answered in a way that is weaker than NTLMv2.
    case refusedResponse(RefusedResponse)
    /// A name is not well-formed text in the encoding that was agreed on.
    case unreadableName(MessageField)
    /// The response does not repeat the target information of our CHALLENGE, or adds what no client may add.
    case targetInfoChanged(id: UInt16)
    /// An attribute stands twice: two readers could see two values.
    case repeatedAttribute(id: UInt16)
    /// A message integrity code is due, and the response does not announce one or has no room for it.
    case messageIntegrityCodeMissing
    /// The response is tied to no TLS connection.
    case channelBindingsMissing
    /// The response is tied to another TLS connection: perhaps it was relayed.
    case channelBindingsMismatch
    /// The client's clock is too far from ours.
    case staleTimestamp(skewSeconds: Int64)
    /// The encrypted session key has another size than a key.
    case sessionKeyLength(found: Int)
    /// Unknown account, wrong password or a message that was changed: all the same to whoever asks.
    case rejected
    /// The response was accepted before.
    case replayed
    /// No answer is awaited: one CHALLENGE takes one answer.
    case wrongStep
}

/// Kinds of response that are never accepted.
public enum RefusedResponse: String, Equatable, Sendable {
    /// No response at all.
    case anonymous
    /// An LM or LMv2 response alone: neither covers the target information.
    case lmOnly = "LM or LMv2 alone"
    /// An NTLMv1 response.
    case ntlmV1 = "NTLMv1"
    /// An NTLMv1 response with extended session security.
    case ntlm2Session = "NTLM2 session"
}

extension ServerHandshakeError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .message(let error): "\(error)"
        case .encodingMissing:
            "the NEGOTIATE offers neither Unicode nor OEM names: the client breaks MS-NLMP 2.2.1.1"
        case .downgrade(let missing):
            "the NEGOTIATE lacks \(missing): nothing weaker than NTLMv2 is spoken; configure the client"
        case .refusedResponse(let kind):
            "the AUTHENTICATE is of the kind \(kind.rawValue): only NTLMv2 is accepted; configure the client"
        case .unreadableName(let field):
            "\(field.rawValue) is no well-formed text: the client must send it in UTF-16, or in ASCII"
        case .targetInfoChanged(let id):
            "AV_PAIR \(id) of the response is not that of the CHALLENGE: it was changed on its way; drop the connection"
        case .repeatedAttribute(let id):
            "AV_PAIR \(id) stands twice in the response: drop the connection"
        case .messageIntegrityCodeMissing:
            "the AUTHENTICATE has no message integrity code: the client is too old, or it was dropped on its way"
        case .channelBindingsMissing:
            "the response is tied to no TLS connection: the client must send channel bindings"
        case .channelBindingsMismatch:
            "the response is tied to another TLS connection: look for a proxy that ends TLS, or for a relay"
        case .staleTimestamp(let skewSeconds):
            "the client's clock is \(skewSeconds) seconds from ours: set the clocks"
        case .sessionKeyLength(let found):
            "EncryptedRandomSessionKey of \(found) bytes instead of 16: the message is damaged"
        case .rejected: "the account or its proof is not accepted: check user name, domain and password"
        case .replayed: "this response was accepted before: it is not accepted twice; start a new handshake"
        case .wrongStep: "no answer is due at this step: send a CHALLENGE first, and take one answer to it"
        }
    }
}
