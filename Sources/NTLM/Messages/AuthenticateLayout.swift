internal import WireFormat

/// Where everything stands in an AUTHENTICATE, checked, and nothing of it copied (MS-NLMP 2.2.1.3).
struct AuthenticateLayout {
    let flags: NegotiateFlags
    let lmChallengeResponse: Range<Int>
    let ntChallengeResponse: Range<Int>
    let domainName: Range<Int>
    let userName: Range<Int>
    let workstation: Range<Int>
    let encryptedRandomSessionKey: Range<Int>
    let version: Range<Int>?
    let messageIntegrityCode: Range<Int>?

    static let fixedSize = 64
    static let versionSize = 8
    static let codeSize = 16

    /// Reads the fixed part and checks where the fields of the payload stand.
    init(of message: Span<UInt8>) throws(MessageError) {
        try MessageHeader.authenticate.check(message, minimum: Self.fixedSize)
        flags = NegotiateFlags(rawValue: littleEndianUInt32(in: message, at: 60) ?? 0)
        var payload = message.count
        func contents(_ field: MessageField, _ position: Int) throws(MessageError) -> Range<Int> {
            let field = try PayloadField(field, in: message, at: position, payloadStart: Self.fixedSize)
            if field.length > 0 { payload = min(payload, field.offset) }
            return field.range
        }
        lmChallengeResponse = try contents(.lmChallengeResponse, 12)
        ntChallengeResponse = try contents(.ntChallengeResponse, 20)
        domainName = try contents(.domainName, 28)
        userName = try contents(.userName, 36)
        workstation = try contents(.workstation, 44)
        encryptedRandomSessionKey = try contents(.encryptedRandomSessionKey, 52)

        let room = payload - Self.fixedSize
        // 8 to 15 bytes: a version alone. 16 to 23: a code alone, as clients without a version write it. 24: both.
        var offset = Self.fixedSize
        if (Self.versionSize..<Self.codeSize).contains(room) || room >= Self.versionSize + Self.codeSize {
            version = offset..<(offset + Self.versionSize)
            offset += Self.versionSize
        } else {
            version = nil
        }
        messageIntegrityCode = payload - offset >= Self.codeSize ? offset..<(offset + Self.codeSize) : nil
    }
}
