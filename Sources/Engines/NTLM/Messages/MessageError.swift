/// A field of a message with its contents in the payload, after the fixed part.
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

/// Why bytes are not the expected NTLM message, or why a message cannot be written.
public enum MessageError: Error, Equatable, Sendable {
    /// The message ends inside its fixed part.
    case truncated(needed: Int, available: Int)
    /// The message is longer than `NTLMLimits.messageBytes`.
    case tooLong(bytes: Int, limit: Int)
    /// The first eight bytes are not `NTLMSSP` and a zero.
    case wrongSignature
    /// The message type is another one; the types are 1 (NEGOTIATE), 2 (CHALLENGE) and 3 (AUTHENTICATE).
    case wrongMessageType(expected: UInt32, found: UInt32)
    /// A field claims bytes before the payload or after the end of the message.
    case payloadOutside(MessageField, offset: Int, length: Int, available: Int)
    /// A field claims bytes that belong to another field.
    case payloadShared(MessageField, offset: Int, length: Int)
    /// A field is longer than its 16-bit length allows, or than the bound of its kind.
    case fieldTooLong(MessageField, bytes: Int, limit: Int)
    /// The list of attributes ends inside an attribute.
    case avPairTruncated(offset: Int, needed: Int, available: Int)
    /// The list of attributes ends without `MsvAvEOL`.
    case avPairsUnterminated
    /// An attribute of fixed size has the wrong size.
    case avPairLength(id: UInt16, expected: Int, found: Int)
    /// A CHALLENGE holds an attribute that only a client sets: its target name or its channel bindings.
    case avPairOfClient(id: UInt16)
    /// A CHALLENGE holds one attribute twice, with different values.
    case avPairContradiction(id: UInt16)
    /// The response is not an NTLMv2 response; LM and NTLMv1 responses are refused.
    case notAnNTLMv2Response(bytes: Int)
}

extension MessageError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "NTLM message of \(available) bytes: expected at least \(needed); the message was cut off, so send it again"
        case .tooLong(let bytes, let limit):
            "NTLM message of \(bytes) bytes: at most \(limit) are accepted; check what the peer sent"
        case .wrongSignature:
            "no NTLMSSP signature at offset 0: the token belongs to another mechanism, or is wrapped in SPNEGO"
        case .wrongMessageType(let expected, let found):
            "NTLM message type \(found) at offset 8: expected type \(expected)\(Self.name(ofType: expected)); "
                + "start the handshake again"
        case .payloadOutside(let field, let offset, let length, let available):
            "\(field.rawValue) claims \(length) bytes at offset \(offset) of \(available): the message is damaged"
        case .payloadShared(let field, let offset, let length):
            "\(field.rawValue) claims \(length) bytes at offset \(offset) that overlap another field: "
                + "the message is damaged"
        case .fieldTooLong(let field, let bytes, let limit):
            "\(field.rawValue) has \(bytes) bytes: at most \(limit) fit; shorten it"
        case .avPairTruncated(let offset, let needed, let available):
            "AV_PAIR at offset \(offset) needs \(needed) bytes of \(available): the target information is damaged"
        case .avPairsUnterminated:
            "the target information does not end with MsvAvEOL: the message is damaged"
        case .avPairLength(let id, let expected, let found):
            "AV_PAIR \(id) has \(found) bytes instead of \(expected): the target information is damaged"
        case .avPairOfClient(let id):
            "the CHALLENGE sets \(AVPair.ID(rawValue: id).label), and only a client sets it: this may be a relay "
                + "attack; check which server or proxy sent it"
        case .avPairContradiction(let id):
            "the CHALLENGE has two different values of \(AVPair.ID(rawValue: id).label): "
                + "check which server or proxy sent it"
        case .notAnNTLMv2Response(let bytes):
            "NtChallengeResponse of \(bytes) bytes is not an NTLMv2 response: LM and NTLMv1 are refused; allow NTLMv2"
        }
    }

    /// The message of a type number, in brackets.
    private static func name(ofType type: UInt32) -> String {
        MessageHeader(rawValue: type).map { " (\($0))".uppercased() } ?? ""
    }
}
