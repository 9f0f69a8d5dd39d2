internal import WireFormat

/// The attributes of a client's response: ours, which must be unchanged, and the client's own.
struct ReturnedTargetInfo {
    /// `MsvAvFlags`; empty without the attribute.
    private(set) var flags: AVPair.Flags = []
    /// Range of the value of `MsvAvTargetName`; empty without the attribute.
    private(set) var targetName = 0..<0
    /// Range of the value of `MsvAvChannelBindings`; empty without the attribute.
    private(set) var channelBindings = 0..<0

    /// The attributes that only a server sets.
    private static let reserved: Set<AVPair.ID> = [
        .nbComputerName, .nbDomainName, .dnsComputerName, .dnsDomainName, .dnsTreeName,
    ]

    /// Reads and checks the attributes. Every attribute of ours must be there unchanged, no attribute may be there
    /// twice, and the client may not add a server name. It may add a timestamp if we sent none, because the proof
    /// covers it.
    ///
    /// - Parameters:
    ///   - range: range of the attributes in `message`.
    ///   - ours: the attributes of the CHALLENGE, each once.
    init(_ range: Range<Int>, in message: Span<UInt8>, ours: TargetInfo) throws(ServerHandshakeError) {
        var seen = SeenAttributes()
        var returned = 0
        var cursor = AVPairCursor(range)
        while let (id, value) = try Self.next(&cursor, in: message) {
            guard seen.insert(id) else { throw .repeatedAttribute(id: id.rawValue) }
            if let pair = ours.pairs.first(where: { $0.id == id }) {
                guard Self.isSame(pair.value, message.extracting(value)) else {
                    throw .targetInfoChanged(id: id.rawValue)
                }
                returned += 1
            } else if Self.reserved.contains(id) {
                throw .targetInfoChanged(id: id.rawValue)
            }
            switch id {
            case .flags:
                guard value.count == 4, let bits = littleEndianUInt32(in: message, at: value.lowerBound) else {
                    throw .message(.avPairLength(id: id.rawValue, expected: 4, found: value.count))
                }
                flags = AVPair.Flags(rawValue: bits)
            case .targetName: targetName = value
            case .channelBindings: channelBindings = value
            default: break
            }
        }
        assert(targetName.upperBound <= range.upperBound && channelBindings.upperBound <= range.upperBound)
        guard returned == ours.pairs.count else {
            let missing = ours.pairs.first { !seen.contains($0.id) }
            throw .targetInfoChanged(id: missing?.id.rawValue ?? 0)
        }
    }

    private static func next(
        _ cursor: inout AVPairCursor,
        in message: Span<UInt8>
    ) throws(ServerHandshakeError) -> (id: AVPair.ID, value: Range<Int>)? {
        do { return try cursor.next(in: message) } catch { throw .message(error) }
    }

    /// An ordinary comparison, because names and clocks are not secret.
    private static func isSame(_ ours: [UInt8], _ theirs: Span<UInt8>) -> Bool {
        ours.count == theirs.count && theirs.indices.allSatisfy { ours[$0] == theirs[$0] }
    }
}

/// The attributes that were read so far: a bit for each number below 64, a set for the others.
private struct SeenAttributes {
    private var known: UInt64 = 0
    private var unknown: Set<UInt16> = []

    /// Records an attribute; returns whether it is new.
    mutating func insert(_ id: AVPair.ID) -> Bool {
        guard !contains(id) else { return false }
        if id.rawValue < 64 { known |= 1 << UInt64(id.rawValue) } else { unknown.insert(id.rawValue) }
        return true
    }

    func contains(_ id: AVPair.ID) -> Bool {
        id.rawValue < 64 ? known >> UInt64(id.rawValue) & 1 == 1 : unknown.contains(id.rawValue)
    }
}
