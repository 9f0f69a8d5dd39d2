/// A field of a message whose contents stand in the payload behind the fixed part.
public enum MessageField: String, Equatable, Sendable {
    /// `DomainName` of a NEGOTIATE or AUTHENTICATE.
    case domainName = "DomainName"
    /// `Workstation` of a NEGOTIATE or AUTHENTICATE.
    case workstation = "Workstation"
    /// `TargetName` of a CHALLENGE.
    case targetName = "TargetName"
    /// `TargetInfo` of a CHALLENGE.
    case targetInfo = "TargetInfo"
    /// `LmChallengeResponse` of an AUTHENTICATE.
    case lmChallengeResponse = "LmChallengeResponse"
    /// `NtChallengeResponse` of an AUTHENTICATE.
    case ntChallengeResponse = "NtChallengeResponse"
    /// `UserName` of an AUTHENTICATE.
    case userName = "UserName"
    /// `EncryptedRandomSessionKey` of an AUTHENTICATE.
    case encryptedRandomSessionKey = "EncryptedRandomSessionKey"
}

/// Why a byte sequence is not the NTLM message it was expected to be, or why a message cannot be written.
public enum MessageError: Error, Equatable, Sendable {
    /// The message ends inside its fixed part.
    case truncated(needed: Int, available: Int)
    /// The message is longer than any that is read or written here.
    case tooLong(bytes: Int, limit: Int)
    /// The first eight bytes are not `NTLMSSP` and a zero.
    case wrongSignature
    /// Another of the three messages, or none of them.
    case wrongMessageType(found: UInt32)
    /// A field claims bytes before the payload or behind the end of the message.
    case payloadOutside(MessageField, offset: Int, length: Int, available: Int)
    /// A field claims bytes that another field claimed before.
    case payloadShared(MessageField, offset: Int, length: Int)
    /// A field does not fit its 16-bit length, or its bound here.
    case fieldTooLong(MessageField, bytes: Int, limit: Int)
    /// The list of attributes ends inside an attribute.
    case avPairTruncated(offset: Int, needed: Int, available: Int)
    /// The list of attributes ends without `MsvAvEOL`.
    case avPairsUnterminated
    /// An attribute of fixed size has another size.
    case avPairLength(id: UInt16, expected: Int, found: Int)
    /// A CHALLENGE holds an attribute that only a client sets: its target name or its channel bindings.
    case avPairOfClient(id: UInt16)
    /// A CHALLENGE holds one attribute twice, with different values.
    case avPairContradiction(id: UInt16)
    /// The response is none of NTLMv2: LM and NTLMv1 responses are refused.
    case notAnNTLMv2Response(bytes: Int)
}

extension MessageError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "NTLM message of \(available) bytes: \(needed) are needed; it was cut off on its way"
        case .tooLong(let bytes, let limit):
            "NTLM message of \(bytes) bytes: more than \(limit) are not handled; check what the peer sent"
        case .wrongSignature:
            "no NTLMSSP signature at offset 0: the token is of another mechanism, perhaps wrapped in SPNEGO"
        case .wrongMessageType(let found):
            "NTLM message type \(found) at offset 8: another one was due at this step; start the handshake again"
        case .payloadOutside(let field, let offset, let length, let available):
            "\(field.rawValue) claims \(length) bytes at offset \(offset) of \(available): the message is damaged"
        case .payloadShared(let field, let offset, let length):
            "\(field.rawValue) claims \(length) bytes at offset \(offset), some of them another field's: the message is damaged"
        case .fieldTooLong(let field, let bytes, let limit):
            "\(field.rawValue) takes \(bytes) bytes: no more than \(limit) fit; shorten it"
        case .avPairTruncated(let offset, let needed, let available):
            "AV_PAIR at offset \(offset) needs \(needed) bytes, \(available) are left: the target information is damaged"
        case .avPairsUnterminated:
            "target information without MsvAvEOL: the message is damaged"
        case .avPairLength(let id, let expected, let found):
            "AV_PAIR \(id) has \(found) bytes instead of \(expected): the target information is damaged"
        case .avPairOfClient(let id):
            "CHALLENGE with \(AVPair.ID(rawValue: id).label): only a client sets it, so this may be a relay attack; "
                + "check which server or proxy sent it"
        case .avPairContradiction(let id):
            "CHALLENGE with two different values of \(AVPair.ID(rawValue: id).label): check which server or proxy sent it"
        case .notAnNTLMv2Response(let bytes):
            "NtChallengeResponse of \(bytes) bytes is no NTLMv2 response: LM and NTLMv1 are refused; allow NTLMv2"
        }
    }
}
