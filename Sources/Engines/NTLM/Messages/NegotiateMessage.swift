internal import WireFormat

/// The client's first message: what it can do (NEGOTIATE_MESSAGE, MS-NLMP 2.2.1.1).
///
/// ```
/// 0          8     12      16           24           32         40
/// ┌──────────┬─────┬───────┬────────────┬────────────┬╌╌╌╌╌╌╌╌╌╌┬───────
/// │NTLMSSP\0 │  1  │ flags │ DomainName │ Workstation│ Version  │payload
/// └──────────┴─────┴───────┴────────────┴────────────┴╌╌╌╌╌╌╌╌╌╌┴───────
/// ```
/// Version means something when the flags say so. Some clients end before it, old ones after the flags; it is written
/// in any case, since gss-ntlmssp refuses less than 40 bytes.
package struct NegotiateMessage: Equatable, Sendable {
    private var original = OriginalBytes()
    package var flags: NegotiateFlags
    /// The client's domain in its OEM code page; empty when it does not tell.
    package var domainName: [UInt8]
    /// The client's computer in its OEM code page; empty when it does not tell.
    package var workstation: [UInt8]
    /// Eight bytes that nothing depends on, when the flags promise them and they are there.
    package var version: [UInt8]?

    private static let minimumSize = 16
    private static let fixedSize = 32
    private static let versionSize = 8

    /// A message that tells nothing but `flags`.
    package init(flags: NegotiateFlags) {
        self.flags = flags
        domainName = []
        workstation = []
    }

    /// Reads a message.
    package init(parsing message: Span<UInt8>) throws(MessageError) {
        try MessageHeader.negotiate.check(message, minimum: Self.minimumSize)
        original = OriginalBytes(copying: message)
        flags = NegotiateFlags(rawValue: littleEndianUInt32(in: message, at: MessageHeader.size) ?? 0)
        guard message.count >= Self.fixedSize else {
            // A message without fields is whole; one that ends inside them is not.
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
        domainName = [UInt8](copying: message.extracting(domain))
        workstation = [UInt8](copying: message.extracting(computer))
        if flags.contains(.version), payload.lowest >= start + Self.versionSize {
            version = [UInt8](copying: message.extracting(start..<(start + Self.versionSize)))
        }
    }

    /// Writes the message.
    ///
    /// One that was read and not changed since comes out as it came in, whatever its layout.
    package func encoded() throws(MessageError) -> [UInt8] {
        if let bytes = original.unchanged(
            since: self,
            reading: { bytes throws(MessageError) in try Self(parsing: bytes) }
        ) {
            return bytes
        }
        return try laidOut()
    }

    private func laidOut() throws(MessageError) -> [UInt8] {
        var flags = flags.subtracting([.version, .oemDomainSupplied, .oemWorkstationSupplied])
        // Flags promise only what is there; a version field that is promised and absent breaks servers.
        if version != nil { flags.insert(.version) }
        if !domainName.isEmpty { flags.insert(.oemDomainSupplied) }
        if !workstation.isEmpty { flags.insert(.oemWorkstationSupplied) }
        var message: [UInt8] = []
        MessageHeader.negotiate.append(to: &message)
        message.append(littleEndian: flags.rawValue)
        var layout = PayloadLayout(payloadStart: Self.fixedSize + Self.versionSize)
        try layout.append(.domainName, count: domainName.count, to: &message)
        try layout.append(.workstation, count: workstation.count, to: &message)
        message.append(contentsOf: version ?? [UInt8](repeating: 0, count: Self.versionSize))
        message.append(contentsOf: domainName)
        message.append(contentsOf: workstation)
        return message
    }
}
