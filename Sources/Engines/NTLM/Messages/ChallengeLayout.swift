internal import WireFormat

/// Checked positions of the fields of a CHALLENGE (MS-NLMP 2.2.1.2), without a copy.
struct ChallengeLayout {
    let flags: NegotiateFlags
    /// Eight bytes, least significant first.
    let serverChallenge: UInt64
    let targetName: Range<Int>
    /// The attributes, `MsvAvEOL` included; `nil` without the `targetInfo` flag.
    let targetInfo: Range<Int>?
    let version: Range<Int>?

    static let minimumSize = 32
    static let fixedSize = 48
    private static let versionSize = 8

    /// Reads the fixed part and checks the range of every field in the payload; the attributes are not read.
    init(of message: Span<UInt8>) throws(MessageError) {
        try MessageHeader.challenge.check(message, minimum: Self.minimumSize)
        flags = NegotiateFlags(rawValue: littleEndianUInt32(in: message, at: 20) ?? 0)
        serverChallenge = littleEndianUInt64(in: message, at: 24) ?? 0
        let promised = flags.contains(.targetInfo)
        let start = promised ? Self.fixedSize : Self.minimumSize
        guard message.count >= start else { throw .truncated(needed: start, available: message.count) }

        var payload = PayloadMap(of: message, from: start)
        targetName = try payload.claim(.targetName, in: message, at: 12)
        targetInfo = promised ? try payload.claim(.targetInfo, in: message, at: 40) : nil
        let hasVersion = flags.contains(.version) && payload.lowest >= Self.fixedSize + Self.versionSize
        version = hasVersion ? Self.fixedSize..<(Self.fixedSize + Self.versionSize) : nil
        assert(brokenInvariant(messageCount: message.count) == nil)
    }
}
