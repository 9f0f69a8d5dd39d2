internal import WireFormat

/// Checked positions of the fields of an AUTHENTICATE (MS-NLMP 2.2.1.3), without a copy.
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
    /// Bytes in `LmChallengeResponse`; all zeros when the response carries the server's clock (MS-NLMP 3.1.5.1.2).
    static let lmSize = 24
    /// Bytes in `EncryptedRandomSessionKey` when keys are exchanged.
    static let sessionKeySize = 16

    /// Reads the fixed part and checks the range of every field in the payload.
    init(of message: Span<UInt8>) throws(MessageError) {
        try MessageHeader.authenticate.check(message, minimum: Self.fixedSize)
        flags = NegotiateFlags(rawValue: littleEndianUInt32(in: message, at: 60) ?? 0)
        var payload = PayloadMap(of: message, from: Self.fixedSize)
        lmChallengeResponse = try payload.claim(.lmChallengeResponse, in: message, at: 12)
        ntChallengeResponse = try payload.claim(.ntChallengeResponse, in: message, at: 20)
        domainName = try payload.claim(.domainName, in: message, at: 28)
        userName = try payload.claim(.userName, in: message, at: 36)
        workstation = try payload.claim(.workstation, in: message, at: 44)
        encryptedRandomSessionKey = try payload.claim(.encryptedRandomSessionKey, in: message, at: 52)

        let room = payload.lowest - Self.fixedSize
        // Bytes between fixed part and payload: 8 to 15 hold a version, 16 to 23 a code (as clients without a version
        // write it), 24 and more both.
        var offset = Self.fixedSize
        if (Self.versionSize..<Self.codeSize).contains(room) || room >= Self.versionSize + Self.codeSize {
            version = offset..<(offset + Self.versionSize)
            offset += Self.versionSize
        } else {
            version = nil
        }
        messageIntegrityCode = payload.lowest - offset >= Self.codeSize ? offset..<(offset + Self.codeSize) : nil
        assert(brokenInvariant(messageCount: message.count) == nil)
    }
}
