internal import WireFormat

/// The server's attributes with the client's added, in the order in which MS-NLMP 3.1.5.1.2 lists them: what goes into a
/// response.
///
/// The server's stay where they stand in its CHALLENGE; they are walked twice, once for the size and once to be written.
struct AnsweredTargetInfo {
    /// The server's attributes in the CHALLENGE; empty when it sent none.
    private let server: Range<Int>
    private let bindings: ChannelBindings?
    private let targetName: String
    private let targetNameUnits: Int
    /// `nil` when neither side says anything.
    private let flags: AVPair.Flags?
    /// The server's clock, when it sent it: then the answer carries an integrity code.
    let timestamp: FileTime?
    /// Bytes that are written, `MsvAvEOL` included.
    let byteCount: Int

    /// Reads what concerns the answer in the server's attributes, and checks all of them.
    ///
    /// - Parameters:
    ///   - server: where the attributes stand in `challenge`; empty when there are none.
    ///   - options: what the client adds.
    init(
        _ server: Range<Int>,
        in challenge: Span<UInt8>,
        options: ClientHandshake.Options
    ) throws(MessageError) {
        self.server = server
        bindings = options.channelBindings
        // Without a name the attribute is there and empty: that is what says that there is none.
        targetName = options.targetName ?? ""
        targetNameUnits = targetName.utf16.count
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
                case .timestamp where timestamp == nil:
                    guard value.count == 8, let ticks = littleEndianUInt64(in: challenge, at: value.lowerBound) else {
                        throw .avPairLength(id: id.rawValue, expected: 8, found: value.count)
                    }
                    timestamp = FileTime(rawValue: ticks)
                case .flags where flags == nil:
                    guard value.count == 4, let bits = littleEndianUInt32(in: challenge, at: value.lowerBound) else {
                        throw .avPairLength(id: id.rawValue, expected: 4, found: value.count)
                    }
                    flags = AVPair.Flags(rawValue: bits)
                default: break
                }
                if Self.isKept(id, bindings: bindings) { kept += AVPair.headerSize + value.count }
            }
        }
        self.timestamp = timestamp
        if timestamp != nil {
            flags = (flags ?? []).union(.messageIntegrityCode)
        } else {
            // No server has reason to set this bit; left in, it would promise a code that is not there.
            flags?.remove(.messageIntegrityCode)
        }
        if options.isTargetNameUntrusted { flags = (flags ?? []).union(.untrustedTargetName) }
        self.flags = flags
        if let bindings { kept += AVPair.headerSize + bindings.digest.count }
        kept += AVPair.headerSize + 2 * targetNameUnits
        if flags != nil { kept += AVPair.headerSize + 4 }
        byteCount = kept
    }

    /// Whether the server's attribute goes into the response as it is. Its flags, and whatever the client sets, stand
    /// once, where they stood first: whoever appends a second `MsvAvFlags` may find a peer that reads the other one
    /// (CVE-2019-1166).
    private static func isKept(_ id: AVPair.ID, bindings: ChannelBindings?) -> Bool {
        switch id {
        case .targetName, .flags: false
        case .channelBindings: bindings == nil
        default: true
        }
    }

    /// Writes all attributes.
    ///
    /// - Parameter challenge: the CHALLENGE that was read.
    func write(from challenge: Span<UInt8>, into writer: inout ByteWriter) {
        var own = Own(bindings: bindings != nil, flags: flags != nil)
        var cursor = AVPairCursor(server)
        // Every attribute was read before, so nothing is thrown here.
        while !server.isEmpty, let (id, value) = try? cursor.next(in: challenge) {
            if Self.isKept(id, bindings: bindings) {
                writer.put(challenge.extracting((value.lowerBound - AVPair.headerSize)..<value.upperBound))
            } else {
                write(id, from: &own, into: &writer)
            }
        }
        write(.channelBindings, from: &own, into: &writer)
        write(.targetName, from: &own, into: &writer)
        write(.flags, from: &own, into: &writer)
        writer.put(littleEndian: UInt32(0))
    }

    /// Which of the client's attributes are still to be written.
    private struct Own {
        var bindings: Bool
        var targetName = true
        var flags: Bool
    }

    private func write(_ id: AVPair.ID, from own: inout Own, into writer: inout ByteWriter) {
        switch id {
        case .channelBindings where own.bindings:
            own.bindings = false
            guard let bindings else { return }
            header(id, count: bindings.digest.count, into: &writer)
            writer.put(bindings.digest.span)
        case .targetName where own.targetName:
            own.targetName = false
            header(id, count: 2 * targetNameUnits, into: &writer)
            writer.put(utf16: targetName, units: targetNameUnits)
        case .flags where own.flags:
            own.flags = false
            guard let flags else { return }
            header(id, count: 4, into: &writer)
            writer.put(littleEndian: flags.rawValue)
        default: return
        }
    }

    private func header(_ id: AVPair.ID, count: Int, into writer: inout ByteWriter) {
        writer.put(littleEndian: id.rawValue)
        writer.put(littleEndian: UInt16(count))
    }
}
