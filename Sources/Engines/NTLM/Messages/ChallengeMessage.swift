internal import WireFormat

/// The server's message: its nonce and its attributes (CHALLENGE_MESSAGE, MS-NLMP 2.2.1.2).
///
/// ```
/// 0          8     12          20      24               32       40          48        56
/// ┌──────────┬─────┬───────────┬───────┬────────────────┬────────┬───────────┬╌╌╌╌╌╌╌╌╌┬───────
/// │NTLMSSP\0 │  2  │TargetName │ flags │ServerChallenge │reserved│TargetInfo │ Version │payload
/// └──────────┴─────┴───────────┴───────┴────────────────┴────────┴───────────┴╌╌╌╌╌╌╌╌╌┴───────
/// ```
/// TargetInfo is read if the flags announce it, because the payload of old servers starts at offset 32 or 40.
package struct ChallengeMessage: Equatable, Sendable {
    package var flags: NegotiateFlags
    /// Eight bytes, least significant first.
    package var serverChallenge: UInt64
    /// The name of the server or domain as sent: UTF-16LE with the `unicode` flag, an OEM code page without it.
    package var targetNameBytes: [UInt8]
    /// The server's attributes; `nil` without the `targetInfo` flag.
    package var targetInfo: TargetInfo?
    /// Eight bytes, or `nil`. Handshakes do not use them.
    package var version: [UInt8]?

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
        let layout = try ChallengeLayout(of: message)
        flags = layout.flags
        serverChallenge = layout.serverChallenge
        targetNameBytes = [UInt8](copying: message.extracting(layout.targetName))
        if let info = layout.targetInfo {
            // Some servers write an empty list of attributes as 0 bytes, without MsvAvEOL.
            targetInfo = info.isEmpty ? TargetInfo() : try TargetInfo(parsing: message.extracting(info))
        }
        version = layout.version.map { [UInt8](copying: message.extracting($0)) }
    }

    /// The name of the server or domain; `nil` without the `unicode` flag, because the code page is unknown then.
    package var targetName: String? {
        flags.contains(.unicode) ? UTF16Text.text(targetNameBytes.span) : nil
    }

    /// Writes the message: the fixed part, the version if there is one, the name, the attributes.
    ///
    /// - Throws: `fieldTooLong` or `tooLong` above the bounds of ``NTLMLimits``.
    package func encoded() throws(MessageError) -> [UInt8] {
        var flags = flags.subtracting([.version, .targetInfo])
        if version != nil { flags.insert(.version) }
        if targetInfo != nil { flags.insert(.targetInfo) }
        var message: [UInt8] = []
        MessageHeader.challenge.append(to: &message)
        var layout = PayloadLayout(payloadStart: ChallengeLayout.fixedSize + (version?.count ?? 0))
        try layout.append(.targetName, count: targetNameBytes.count, to: &message)
        message.append(littleEndian: flags.rawValue)
        message.append(littleEndian: serverChallenge)
        message.append(littleEndian: UInt64(0))
        try layout.append(.targetInfo, count: targetInfo?.byteCount ?? 0, to: &message)
        assert(message.count == ChallengeLayout.fixedSize, "the fixed part has the size that the layout counts")
        message.append(contentsOf: version ?? [])
        message.append(contentsOf: targetNameBytes)
        try targetInfo?.append(to: &message)
        assert(message.count == layout.offset, "the message has the size that the descriptors announce")
        return message
    }
}
