internal import WireFormat

/// The attributes of a client's response: the server's, then the client's in the order of MS-NLMP 3.1.5.1.2.
///
/// The server's attributes are read from the CHALLENGE twice: once to compute the size, once to write them.
///
/// Only a client sets `MsvAvTargetName` and `MsvAvChannelBindings` (MS-NLMP 2.2.2.1). A CHALLENGE that holds either is
/// refused, because a relay could put the binding of its own TLS channel there and the client would sign it.
struct AnsweredTargetInfo {
    /// Range of the server's attributes in the CHALLENGE; empty if it has none.
    private let server: Range<Int>
    private let channelBindings: [UInt8]?
    private let targetName: String
    private let targetNameUnits: Int
    /// `MsvAvFlags`; `nil` if neither side sets a flag.
    private let flags: AVPair.Flags?
    /// The server's clock, or `nil`. With a clock the answer carries an integrity code.
    let timestamp: FileTime?
    /// Size of the attributes in bytes, `MsvAvEOL` included.
    let byteCount: Int

    /// Checks all attributes of the server, and reads those that change the answer.
    ///
    /// - Parameters:
    ///   - server: range of the attributes in `challenge`; empty if it has none.
    ///   - channelBindings: the value of `MsvAvChannelBindings`, 16 bytes; `nil` for an answer that is not bound.
    ///   - targetName: the service name (SPN), or `nil`.
    ///   - isTargetNameUntrusted: whether the client got the name from an untrusted source.
    init(
        _ server: Range<Int>,
        in challenge: Span<UInt8>,
        channelBindings: [UInt8]?,
        targetName: String?,
        isTargetNameUntrusted: Bool
    ) throws(MessageError) {
        assert(server.upperBound <= challenge.count)
        self.server = server
        self.channelBindings = channelBindings
        // MS-NLMP 3.1.5.1.2: a client without a name sends an empty MsvAvTargetName.
        self.targetName = targetName ?? ""
        targetNameUnits = self.targetName.utf16.count
        guard targetNameUnits <= NTLMLimits.targetNameUnits else {
            throw .fieldTooLong(.targetName, bytes: 2 * targetNameUnits, limit: 2 * NTLMLimits.targetNameUnits)
        }
        var timestamp: FileTime?
        var flags: AVPair.Flags?
        var kept = AVPair.headerSize
        if !server.isEmpty {
            var cursor = AVPairCursor(server)
            while let (id, value) = try cursor.next(in: challenge) {
                switch id {
                case .timestamp:
                    guard value.count == 8, let ticks = littleEndianUInt64(in: challenge, at: value.lowerBound) else {
                        throw .avPairLength(id: id.rawValue, expected: 8, found: value.count)
                    }
                    // With two different clocks, client and server could each read another one.
                    guard timestamp == nil || timestamp?.rawValue == ticks else {
                        throw .avPairContradiction(id: id.rawValue)
                    }
                    timestamp = FileTime(rawValue: ticks)
                case .flags where flags == nil:
                    guard value.count == 4, let bits = littleEndianUInt32(in: challenge, at: value.lowerBound) else {
                        throw .avPairLength(id: id.rawValue, expected: 4, found: value.count)
                    }
                    flags = AVPair.Flags(rawValue: bits)
                case .targetName, .channelBindings: throw .avPairOfClient(id: id.rawValue)
                default: break
                }
                if id != .flags { kept += AVPair.headerSize + value.count }
            }
        }
        self.timestamp = timestamp
        // Both bits are the client's to set (MS-NLMP 2.2.2.1). Left in, they would state what does not hold.
        flags?.subtract([.messageIntegrityCode, .untrustedTargetName])
        if timestamp != nil {
            flags = (flags ?? []).union(.messageIntegrityCode)
        }
        if isTargetNameUntrusted { flags = (flags ?? []).union(.untrustedTargetName) }
        self.flags = flags
        assert(
            (flags?.contains(.messageIntegrityCode) ?? false) == (timestamp != nil),
            "MS-NLMP 3.1.5.1.2: the answer has a code exactly if the server sent its clock"
        )
        if let channelBindings { kept += AVPair.headerSize + channelBindings.count }
        kept += AVPair.headerSize + 2 * targetNameUnits
        if flags != nil { kept += AVPair.headerSize + 4 }
        byteCount = kept
    }

    /// Writes all attributes: the server's in their order, then the client's bindings and target name.
    ///
    /// `MsvAvFlags` appears once, at the position of the server's first one, because with two of them a peer may read
    /// either (CVE-2019-1166).
    ///
    /// - Parameter challenge: the CHALLENGE that was read.
    func write(from challenge: Span<UInt8>, into writer: inout ByteWriter) {
        let start = writer.count
        assert(server.upperBound <= challenge.count, "this is the message that `init` read")
        var hasWrittenFlags = false
        var cursor = AVPairCursor(server)
        // The cursor cannot throw here, because `init` read the same attributes.
        while !server.isEmpty, let (id, value) = try? cursor.next(in: challenge) {
            guard id == .flags else {
                writer.put(challenge.extracting((value.lowerBound - AVPair.headerSize)..<value.upperBound))
                continue
            }
            if !hasWrittenFlags { writeFlags(into: &writer) }
            hasWrittenFlags = true
        }
        if let channelBindings {
            header(.channelBindings, count: channelBindings.count, into: &writer)
            writer.put(channelBindings.span)
        }
        header(.targetName, count: 2 * targetNameUnits, into: &writer)
        writer.put(utf16: targetName, units: targetNameUnits)
        if !hasWrittenFlags { writeFlags(into: &writer) }
        assert(writer.count - start == byteCount - AVPair.headerSize, "only MsvAvEOL is missing")
        // MsvAvEOL.
        writer.put(littleEndian: UInt32(0))
        assert(writer.count - start == byteCount)
    }

    private func writeFlags(into writer: inout ByteWriter) {
        guard let flags else { return }
        header(.flags, count: 4, into: &writer)
        writer.put(littleEndian: flags.rawValue)
    }

    private func header(_ id: AVPair.ID, count: Int, into writer: inout ByteWriter) {
        assert(id != .eol && count <= NTLMLimits.fieldBytes)
        writer.put(littleEndian: id.rawValue)
        writer.put(littleEndian: UInt16(count))
    }
}
