internal import NTLM
internal import WireFormat

/// The JSON form of a message, with the names of MS-NLMP 2.2: the fixed part first, then the payload.
enum NTLMMessageJSON {
    /// Reads `bytes` as one of the three messages.
    static func object(_ bytes: Span<UInt8>) throws(MessageError) -> JSONValue {
        // The reader of CHALLENGE refuses every other type.
        switch littleEndianUInt32(in: bytes, at: 8) {
        case 1: try negotiate(bytes)
        case 3: try authenticate(bytes)
        default: try challenge(bytes)
        }
    }

    private static func negotiate(_ bytes: Span<UInt8>) throws(MessageError) -> JSONValue {
        let message = try NegotiateMessage(parsing: bytes)
        return .object(
            start("NEGOTIATE_MESSAGE", 1) + flags(message.flags) + [
                descriptor("DomainNameFields", bytes, at: 16),
                descriptor("WorkstationFields", bytes, at: 24),
                ("Version", version(message.version)),
                // MS-NLMP 2.2.1.1: both are in the OEM code page, also with the Unicode flag.
                ("DomainName", name(message.domainName, isUnicode: false)),
                ("Workstation", name(message.workstation, isUnicode: false)),
            ]
        )
    }

    private static func challenge(_ bytes: Span<UInt8>) throws(MessageError) -> JSONValue {
        let message = try ChallengeMessage(parsing: bytes)
        var nonce: [UInt8] = []
        nonce.append(littleEndian: message.serverChallenge)
        return .object(
            start("CHALLENGE_MESSAGE", 2) + [descriptor("TargetNameFields", bytes, at: 12)] + flags(message.flags) + [
                ("ServerChallenge", hexadecimal(nonce)),
                // Messages of old servers end before this field.
                message.targetInfo == nil ? ("TargetInfoFields", .null) : descriptor("TargetInfoFields", bytes, at: 40),
                ("Version", version(message.version)),
                ("TargetName", name(message.targetNameBytes, isUnicode: message.flags.contains(.unicode))),
                ("TargetInfo", message.targetInfo.map(AVPairJSON.list) ?? .null),
            ]
        )
    }

    private static func authenticate(_ bytes: Span<UInt8>) throws(MessageError) -> JSONValue {
        let message = try AuthenticateMessage(parsing: bytes)
        let isUnicode = message.flags.contains(.unicode)
        return .object(
            start("AUTHENTICATE_MESSAGE", 3) + [
                descriptor("LmChallengeResponseFields", bytes, at: 12),
                descriptor("NtChallengeResponseFields", bytes, at: 20),
                descriptor("DomainNameFields", bytes, at: 28),
                descriptor("UserNameFields", bytes, at: 36),
                descriptor("WorkstationFields", bytes, at: 44),
                descriptor("EncryptedRandomSessionKeyFields", bytes, at: 52),
            ] + flags(message.flags) + [
                ("Version", version(message.version)),
                ("MIC", message.messageIntegrityCode.map(hexadecimal) ?? .null),
                ("DomainName", name(message.domainNameBytes, isUnicode: isUnicode)),
                ("UserName", name(message.userNameBytes, isUnicode: isUnicode)),
                ("Workstation", name(message.workstationBytes, isUnicode: isUnicode)),
                ("LmChallengeResponse", hexadecimal(message.lmChallengeResponse)),
                ("NtChallengeResponse", hexadecimal(message.ntChallengeResponse)),
                ("NTLMv2_RESPONSE", response(message.ntChallengeResponse)),
                ("EncryptedRandomSessionKey", hexadecimal(message.encryptedRandomSessionKey)),
            ]
        )
    }

    private static func start(_ name: String, _ type: UInt64) -> [(name: String, value: JSONValue)] {
        [("Message", .string(name)), ("Signature", .string("NTLMSSP")), ("MessageType", .integer(type))]
    }

    private static func flags(_ flags: NegotiateFlags) -> [(name: String, value: JSONValue)] {
        let names = flags.isEmpty ? [] : "\(flags)".split(separator: " ").map { JSONValue.string(String($0)) }
        return [("NegotiateFlags", .integer(UInt64(flags.rawValue))), ("NegotiateFlagNames", .array(names))]
    }

    /// The descriptor of a field; `null` if the message ends before it.
    private static func descriptor(
        _ name: String,
        _ bytes: Span<UInt8>,
        at offset: Int
    ) -> (name: String, value: JSONValue) {
        guard let length = littleEndianUInt16(in: bytes, at: offset),
            let maximum = littleEndianUInt16(in: bytes, at: offset + 2),
            let start = littleEndianUInt32(in: bytes, at: offset + 4)
        else { return (name, .null) }
        return (
            name,
            .object([
                ("Len", .integer(UInt64(length))), ("MaxLen", .integer(UInt64(maximum))),
                ("BufferOffset", .integer(UInt64(start))),
            ])
        )
    }

    /// `VERSION` (MS-NLMP 2.2.2.10): major, minor, build in two bytes, three reserved bytes, revision.
    private static func version(_ bytes: [UInt8]?) -> JSONValue {
        guard let bytes, bytes.count == 8 else { return .null }
        return .object([
            ("ProductMajorVersion", .integer(UInt64(bytes[0]))), ("ProductMinorVersion", .integer(UInt64(bytes[1]))),
            ("ProductBuild", .integer(UInt64(bytes[2]) | UInt64(bytes[3]) << 8)),
            ("NTLMRevisionCurrent", .integer(UInt64(bytes[7]))),
        ])
    }

    /// The fields of an NTLMv2 response; `null` for any other response.
    private static func response(_ bytes: [UInt8]) -> JSONValue {
        guard let response = try? NTLMv2Response(parsing: bytes.span) else { return .null }
        var nonce: [UInt8] = []
        nonce.append(littleEndian: response.clientChallenge)
        return .object([
            ("Response", hexadecimal(response.ntProofStr)), ("TimeStamp", AVPairJSON.time(response.timestamp)),
            ("ChallengeFromClient", hexadecimal(nonce)), ("AvPairs", AVPairJSON.list(response.targetInfo)),
        ])
    }

    /// A name as text, or its bytes if its code page is unknown: only ASCII is the same in all code pages.
    private static func name(_ bytes: [UInt8], isUnicode: Bool) -> JSONValue {
        if isUnicode {
            if let text = WireText.utf16(bytes) { return .string(text) }
        } else if bytes.allSatisfy({ $0 < 0x80 }) {
            return .string(String(decoding: bytes, as: UTF8.self))
        }
        return .object([("Hex", hexadecimal(bytes))])
    }

    static func hexadecimal(_ bytes: [UInt8]) -> JSONValue { .string(Hexadecimal.encode(bytes.span)) }
}
