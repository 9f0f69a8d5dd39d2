internal import WireFormat

/// The attributes that a client sent back in its response, where they stand: ours unchanged, and its own beside them.
struct ReturnedTargetInfo {
    /// `MsvAvFlags`; no bit when they are absent.
    private(set) var flags: AVPair.Flags = []
    /// The value of `MsvAvTargetName`; empty when it is absent.
    private(set) var targetName = 0..<0
    /// The value of `MsvAvChannelBindings`; empty when it is absent.
    private(set) var channelBindings = 0..<0

    /// What a server says, and no client of its own.
    private static let reserved: Set<AVPair.ID> = [
        .nbComputerName, .nbDomainName, .dnsComputerName, .dnsDomainName, .dnsTreeName,
    ]

    /// Reads and checks them: every attribute of ours must come back unchanged; a client adds no name of its own, and
    /// nothing twice. A clock of its own it may add where we sent none: the proof covers it.
    ///
    /// - Parameters:
    ///   - range: where the attributes stand in `message`.
    ///   - ours: what the CHALLENGE said, nothing of it twice.
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

    /// Names and clocks are no secrets.
    private static func isSame(_ ours: [UInt8], _ theirs: Span<UInt8>) -> Bool {
        ours.count == theirs.count && theirs.indices.allSatisfy { ours[$0] == theirs[$0] }
    }
}

/// Which attributes were seen: a bit for each that the specification knows, a set for the others.
private struct SeenAttributes {
    private var known: UInt64 = 0
    private var unknown: Set<UInt16> = []

    /// Notes an attribute; tells whether it is new.
    mutating func insert(_ id: AVPair.ID) -> Bool {
        guard !contains(id) else { return false }
        if id.rawValue < 64 { known |= 1 << UInt64(id.rawValue) } else { unknown.insert(id.rawValue) }
        return true
    }

    func contains(_ id: AVPair.ID) -> Bool {
        id.rawValue < 64 ? known >> UInt64(id.rawValue) & 1 == 1 : unknown.contains(id.rawValue)
    }
}
