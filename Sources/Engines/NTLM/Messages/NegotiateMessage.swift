internal import WireFormat

/// The client's first message: the features that it asks for (NEGOTIATE_MESSAGE, MS-NLMP 2.2.1.1).
///
/// ```
/// 0          8     12      16           24           32         40
/// ┌──────────┬─────┬───────┬────────────┬────────────┬╌╌╌╌╌╌╌╌╌╌┬───────
/// │NTLMSSP\0 │  1  │ flags │ DomainName │ Workstation│ Version  │payload
/// └──────────┴─────┴───────┴────────────┴────────────┴╌╌╌╌╌╌╌╌╌╌┴───────
/// ```
/// Version holds a version only with the version flag. Some clients end the message before it, old clients after the
/// flags. ``NegotiateWriter`` always writes it, because gss-ntlmssp refuses less than 40 bytes.
package struct NegotiateMessage: Equatable, Sendable {
    package var flags: NegotiateFlags
    /// The client's domain in its OEM code page; empty if the client does not send it.
    package var domainName: [UInt8]
    /// The client's computer in its OEM code page; empty if the client does not send it.
    package var workstation: [UInt8]
    /// Eight bytes, or `nil` without the version flag or without the field. Handshakes do not use them.
    package var version: [UInt8]?

    private static let minimumSize = 16
    static let fixedSize = 32
    static let versionSize = 8

    /// A message with `flags` and without names and version.
    package init(flags: NegotiateFlags) {
        self.flags = flags
        domainName = []
        workstation = []
    }

    /// Reads a message.
    package init(parsing message: Span<UInt8>) throws(MessageError) {
        try MessageHeader.negotiate.check(message, minimum: Self.minimumSize)
        flags = NegotiateFlags(rawValue: littleEndianUInt32(in: message, at: MessageHeader.size) ?? 0)
        guard message.count >= Self.fixedSize else {
            // A message may end after the flags, but not inside the fields.
            guard message.count == Self.minimumSize else {
                throw .truncated(needed: Self.fixedSize, available: message.count)
            }
            domainName = []
            workstation = []
            return
        }
        let start = Self.fixedSize
        var payload = PayloadMap(of: message, from: start)
        let domain = try payload.claim(.domainName, in: message, at: 16)
        let computer = try payload.claim(.workstation, in: message, at: 24)
        assert(payload.lowest >= start && payload.lowest <= message.count)
        domainName = [UInt8](copying: message.extracting(domain))
        workstation = [UInt8](copying: message.extracting(computer))
        if flags.contains(.version), payload.lowest >= start + Self.versionSize {
            version = [UInt8](copying: message.extracting(start..<(start + Self.versionSize)))
        }
    }
}
