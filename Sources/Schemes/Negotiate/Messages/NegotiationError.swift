/// Why a token of SPNEGO cannot be read, or why a negotiation ends.
///
/// Offsets count bytes from the start of the token.
public enum NegotiationError: Error, Equatable, Sendable {
    /// The token is longer than ``NegotiationLimits/tokenBytes``.
    case tooLong(bytes: Int)
    /// An element needs more bytes than there are.
    case truncated(offset: Int)
    /// Another element is due at the offset.
    case unexpectedElement(tag: UInt8, offset: Int)
    /// A length is not in the one form that DER has for it.
    case malformedLength(offset: Int)
    /// The value at the offset does not have the form that its field has.
    case malformedValue(offset: Int)
    /// Bytes follow the last element.
    case trailingBytes(offset: Int)
    /// More than ``NegotiationLimits/mechanisms`` mechanisms.
    case tooManyMechanisms
    /// The token belongs to another mechanism than SPNEGO, Kerberos and NTLM.
    case unknownToken

    /// The peer ends the negotiation.
    case rejected
    /// The two sides have no mechanism in common.
    case noCommonMechanism
    /// The server chose a mechanism that was not offered.
    case mechanismNotOffered
    /// The server chose twice.
    case mechanismChanged
    /// A response has no token where the mechanism needs one.
    case tokenMissing
    /// A token comes after the last one of its mechanism, or for a mechanism that is chosen only now.
    case unexpectedToken
    /// The mechanism refuses the peer's token.
    case mechanismFailed(Mechanism)
    /// A code over the list of mechanisms is due and missing: an attacker may have shortened the list.
    case integrityCodeMissing
    /// The code over the list of mechanisms is wrong: the list was changed.
    case integrityCodeWrong
    /// The server has finished before the mechanism.
    case unfinished
    /// The server gave no proof of its own, and one is demanded.
    case serverNotProven
    /// More than ``NegotiationLimits/tokens`` tokens.
    case tooManyTokens
    /// The token belongs to another step.
    case wrongStep
}

extension NegotiationError {
    /// Whether the peer's token is not well-formed.
    package var isMalformedToken: Bool {
        switch self {
        case .tooLong, .truncated, .unexpectedElement, .malformedLength, .malformedValue, .trailingBytes,
            .tooManyMechanisms,
            .unknownToken:
            true
        default: false
        }
    }
}

extension NegotiationError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .tooLong(let bytes): "token of \(bytes) bytes: at most \(NegotiationLimits.tokenBytes) are read"
        case .truncated(let offset): "the token ends inside the element at byte \(offset): it was cut off on its way"
        case .unexpectedElement(let tag, let offset):
            "tag \(tag) at byte \(offset) is out of place: RFC 4178 section 4.2 has another element there"
        case .malformedLength(let offset): "the length at byte \(offset) is not DER: the peer must mend it"
        case .malformedValue(let offset): "the value at byte \(offset) does not have the form of RFC 4178 section 4.2"
        case .trailingBytes(let offset): "bytes follow the token at byte \(offset): the peer must send one token"
        case .tooManyMechanisms: "more than \(NegotiationLimits.mechanisms) mechanisms are offered"
        case .unknownToken: "the token is neither SPNEGO nor Kerberos nor NTLM"
        case .rejected: "the server rejects the negotiation: check account and ticket, and the server's log"
        case .noCommonMechanism: "the client offers neither a mechanism of this server nor one that it could take"
        case .mechanismNotOffered: "the server chose a mechanism that was not offered: this may be an attack"
        case .mechanismChanged: "the server chose two mechanisms in one negotiation: this may be an attack"
        case .tokenMissing: "the response has no token, and the mechanism needs one: the server must send it"
        case .unexpectedToken: "the token comes after the last one of its mechanism: begin a new negotiation"
        case .mechanismFailed(let mechanism): "\(mechanism) refuses the token of the peer: see its own error"
        case .integrityCodeMissing:
            "the code over the list of mechanisms is missing: an attacker may have removed the best one"
        case .integrityCodeWrong: "the code over the list of mechanisms is wrong: an attacker may have changed the list"
        case .unfinished: "the server finished before the mechanism: a response or its last token was lost"
        case .serverNotProven:
            "the server sent no proof of its own: check that it sends the last token, or allow it with "
                + "'negotiate-mutual: optional'"
        case .tooManyTokens: "more than \(NegotiationLimits.tokens) tokens in one negotiation: the peer goes in circles"
        case .wrongStep: "the negotiation has ended, or the token belongs to another one: begin a new one"
        }
    }
}
