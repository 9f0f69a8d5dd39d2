internal import WireFormat

/// The server's answer: its nonce and what it says about itself (CHALLENGE_MESSAGE, MS-NLMP 2.2.1.2).
///
/// ```
/// 0          8     12          20      24               32       40          48        56
/// ┌──────────┬─────┬───────────┬───────┬────────────────┬────────┬───────────┬╌╌╌╌╌╌╌╌╌┬───────
/// │NTLMSSP\0 │  2  │TargetName │ flags │ServerChallenge │reserved│TargetInfo │ Version │payload
/// └──────────┴─────┴───────────┴───────┴────────────────┴────────┴───────────┴╌╌╌╌╌╌╌╌╌┴───────
/// ```
/// TargetInfo is read when the flags promise it; old servers end, or start their payload, at 32 or 40.
package struct ChallengeMessage: Equatable, Sendable {
    package var flags: NegotiateFlags
    /// Eight bytes, least significant first.
    package var serverChallenge: UInt64
    /// The server's or domain's name as sent: UTF-16LE or an OEM code page, as the flags say.
    package var targetNameBytes: [UInt8]
    /// The server's attributes; `nil` when the flags do not promise them.
    package var targetInfo: TargetInfo?
    /// Eight bytes that nothing depends on, when they are there.
    package var version: [UInt8]?

    private static let minimumSize = 32
    private static let fixedSize = 48
    private static let versionSize = 8

    package init(
        flags: NegotiateFlags,
        serverChallenge: UInt64,
        targetNameBytes: [UInt8] = [],
        targetInfo: TargetInfo? = nil,
        version: [UInt8]? = nil
    ) {
        self.flags = flags
        self.serverChallenge = serverChallenge
        self.targetNameBytes = targetNameBytes
        self.targetInfo = targetInfo
        self.version = version
    }

    /// Reads a message.
    package init(parsing message: Span<UInt8>) throws(MessageError) {
        try MessageHeader.challenge.check(message, minimum: Self.minimumSize)
        flags = NegotiateFlags(rawValue: littleEndianUInt32(in: message, at: 20) ?? 0)
        serverChallenge = littleEndianUInt64(in: message, at: 24) ?? 0
        let promised = flags.contains(.targetInfo)
        let start = promised ? Self.fixedSize : Self.minimumSize
        guard message.count >= start else { throw .truncated(needed: start, available: message.count) }

        let name = try PayloadField(.targetName, in: message, at: 12, payloadStart: start)
        targetNameBytes = name.bytes(in: message)
        var payload = name.length > 0 ? name.offset : message.count
        if promised {
            let info = try PayloadField(.targetInfo, in: message, at: 40, payloadStart: start)
            // An empty list of attributes is written as no bytes at all by some servers.
            targetInfo =
                info.length == 0
                ? TargetInfo()
                : try TargetInfo(parsing: message.extracting(info.offset..<(info.offset + info.length)))
            if info.length > 0 { payload = min(payload, info.offset) }
        }
        if flags.contains(.version), payload >= Self.fixedSize + Self.versionSize {
            version = [UInt8](copying: message.extracting(Self.fixedSize..<(Self.fixedSize + Self.versionSize)))
        }
    }

    /// The server's or domain's name; `nil` when it is not in UTF-16 and thus of an unknown code page.
    package var targetName: String? {
        flags.contains(.unicode) ? UTF16Text.text(targetNameBytes) : nil
    }

    /// Writes the message.
    package func encoded() throws(MessageError) -> [UInt8] {
        var flags = flags.subtracting([.version, .targetInfo])
        if version != nil { flags.insert(.version) }
        if targetInfo != nil { flags.insert(.targetInfo) }
        var message: [UInt8] = []
        MessageHeader.challenge.append(to: &message)
        var layout = PayloadLayout(payloadStart: Self.fixedSize + (version?.count ?? 0))
        try layout.append(.targetName, count: targetNameBytes.count, to: &message)
        message.append(littleEndian: flags.rawValue)
        message.append(littleEndian: serverChallenge)
        message.append(littleEndian: UInt64(0))
        try layout.append(.targetInfo, count: targetInfo?.byteCount ?? 0, to: &message)
        message.append(contentsOf: version ?? [])
        message.append(contentsOf: targetNameBytes)
        try targetInfo?.append(to: &message)
        return message
    }
}
